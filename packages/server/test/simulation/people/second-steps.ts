import { drawCode, freshCode, spareOf } from './codes.ts'
import type { Challenge, Code, Person } from './person.ts'
import { attemptOf, type Habit, keep, type Plan, pick, pickHeld, type Scene } from './plan.ts'
import { identify } from './sessions.ts'

/** Answers the question for a second factor: mostly the latest. */
export const answer: Habit = (scene, person) => {
  const old = scene.choices.chance(30) ? pick(scene, person.challenges) : undefined
  const challenge = old ?? person.challenges.at(-1)
  const code = challenge && drawCode(scene, person)
  return code ? answerAny(scene, person, challenge, code) : null
}

/** Answers with a recovery code that was not used. */
export const answerBySpare: Habit = (scene, person) => {
  const challenge = person.challenges.at(-1)
  const secondFactor = spareOf(person)
  return challenge && secondFactor ? answerAny(scene, person, challenge, { secondFactor }) : null
}

/** The same code answers another challenge too, mostly the one before, which is still open. */
function answerAny(scene: Scene, person: Person, challenge: Challenge, code: Code): Plan {
  const alike = (): Plan | null => {
    const others = person.challenges.filter(({ text }) => text !== challenge.text)
    const other = scene.choices.chance(80) ? others.at(-1) : pick(scene, others)
    return other ? answerWith(person, other, code) : null
  }
  return { ...answerWith(person, challenge, code), alike }
}

export function answerWith(person: Person, challenge: Challenge, code: Code): Plan {
  const { text, sets } = challenge
  const trustDevice = code.app !== undefined && sets === undefined
  return {
    what: sets ? 'finish the reset with a code' : code.app ? 'answer with a code' : 'answer with a recovery code',
    claims: {
      ...code,
      answers: text,
      opens: true,
      ...(sets
        ? { sets, revokes: 'all' as const, audited: 'password.reset', mails: 'password-changed' }
        : !code.app && { audited: 'recovery-code.used', mails: 'recovery-code-used' }),
    },
    async ask({ accounts }) {
      const { secondFactor } = code
      const answered = { challenge: text, code: secondFactor, delivery: 'session', trustDevice } as const
      const result = await accounts.verifySecondFactor({ ...answered, attempt: attemptOf(person) })
      const kept = keep(person, result)
      if (typeof kept === 'string') return kept
      const trusted = result.ok ? result.trustedDeviceToken : null
      if (trusted !== null) person.devices.push(trusted)
      person.usedCodes.push(code)
      if (sets?.password) person.passwords = [...person.passwords, sets.password]
      return { ...kept, ...(trusted !== null && { trusted }) }
    },
  }
}

/** Somebody who has the password tries every number: five are tested. */
export const exhaust: Habit = (scene, person) => {
  const challenge = person.challenges.at(-1)?.text
  if (challenge === undefined || scene.choices.chance(50)) return null
  const codes = ['000001', '000002', '000003', '000004', '000005']
  return {
    what: 'try five codes',
    claims: { exhausts: challenge },
    async ask({ accounts }) {
      const attempt = { ...attemptOf(person), address: '203.0.113.10' }
      const results = await Promise.allSettled(
        codes.map((code) => accounts.verifySecondFactor({ challenge, code, delivery: 'session', attempt })),
      )
      const failed = results.find((result) => result.status === 'rejected')
      if (failed) throw failed.reason
      return {}
    },
  }
}

/** Shows a code again in the session, which gets a new credential. */
export const stepUp: Habit = (scene, person) => {
  const held = pickHeld(scene, person)
  const code = drawCode(scene, person)
  if (!held || !code) return null
  return {
    what: `step up with ${code.app ? 'a code' : 'a recovery code'}`,
    claims: { ...code, presents: held.credential, revokes: held.credential },
    async ask(service) {
      const identity = await identify(service, held)
      if (!identity) return 'credential'
      const kinds = ['totp', 'recovery-code']
      const { challenge } = await service.accounts.startStepUp({ identity, kinds })
      if (challenge === null) return 'no-factor'
      const asked = { identity, challenge, code: code.secondFactor, delivery: 'session' } as const
      const result = await service.accounts.verifySecondFactor({ ...asked, attempt: attemptOf(person) })
      const kept = keep(person, result, held.credential)
      if (typeof kept !== 'string') person.usedCodes.push(code)
      return kept
    },
  }
}

/** Shows the password again: the credential is replaced. */
export const confirmPassword: Habit = (scene, person) => {
  const held = pickHeld(scene, person)
  if (!held) return null
  const isMistyped = scene.choices.chance(15)
  const currentPassword = isMistyped ? 'nobody has this password' : (person.passwords.at(-1) ?? '')
  return {
    what: isMistyped ? 'confirm the password wrongly' : 'confirm the password',
    claims: {
      ...{ presents: held.credential, revokes: held.credential },
      ...{ password: currentPassword, address: person.address, email: person.email },
    },
    async ask(service) {
      const identity = await identify(service, held)
      if (!identity) return 'credential'
      const asked = { identity, currentPassword, attempt: attemptOf(person) }
      return keep(person, await service.accounts.confirmPassword(asked), held.credential)
    },
  }
}

/** What shows at the end that the factors are still those that were set up. */
export function answerWithApp(scene: Scene, person: Person): Plan | null {
  const challenge = person.challenges.at(-1)
  if (!challenge || person.totp === null) return null
  return answerWith(person, challenge, freshCode(scene, person, person.totp))
}

/** Answers with a recovery code, if there is one. */
export function answerWithCode(person: Person, secondFactor: string | undefined): Plan | null {
  const challenge = person.challenges.at(-1)
  return challenge && secondFactor !== undefined ? answerWith(person, challenge, { secondFactor }) : null
}
