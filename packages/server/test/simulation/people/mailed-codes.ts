import type { AskedCode, Letter, Person } from './person.ts'
import { attemptOf, type Habit, keep, type Plan, pick } from './plan.ts'

export const requestCode: Habit = ({ now }, person) => {
  const { email } = person
  return {
    what: 'ask for a code by mail',
    claims: { email },
    async ask({ accounts }) {
      const at = now()
      const { challenge } = await accounts.requestSignInCode({ email, attempt: attemptOf(person) })
      person.askedCodes.push({ challenge, at })
      return { mailedChallenge: challenge }
    },
  }
}

/** Signs in with a code by mail: mostly the latest. */
export const signInByMail: Habit = (scene, person) => {
  const asked = scene.choices.chance(20) ? pick(scene, person.askedCodes) : person.askedCodes.at(-1)
  return asked ? signInByMailWith(person, asked) : null
}

/** Null: which mail is that of the code is not sure. */
export function signInByMailWith(person: Person, asked: AskedCode): Plan | null {
  const { email, address } = person
  const letter = letterOf(person, asked)
  if (letter?.code === undefined) return null
  const { code, at: mailedAt } = letter
  const mailed = { challenge: asked.challenge, code }
  return {
    what: 'sign in with a code by mail',
    claims: {
      ...{ email, address, mailed, mailedAt, opens: true },
      ...{ audited: 'session.created', auditedIfRefused: 'sign-in.failed' },
    },
    ask: async ({ accounts }) =>
      keep(
        person,
        await accounts.signInWithCode({ email, ...mailed, delivery: 'session', attempt: attemptOf(person) }),
      ),
  }
}

/** The only mail with a code between this request and the next one, if each request before has brought one. */
function letterOf({ askedCodes, mails }: Person, asked: AskedCode): Letter | undefined {
  const codes = mails.filter(({ code }) => code !== undefined)
  const place = askedCodes.indexOf(asked)
  const next = askedCodes[place + 1]?.at ?? Number.POSITIVE_INFINITY
  const before = codes.filter(({ at }) => at < asked.at)
  const [own, ...others] = codes.filter(({ at }) => at >= asked.at && at < next)
  return before.length === place && others.length === 0 ? own : undefined
}
