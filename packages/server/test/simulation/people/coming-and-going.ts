import { unknown } from '../deeds/deed.ts'
import { drawLink, type Link } from './mails.ts'
import type { Person, SignUp } from './person.ts'
import { attemptOf, type Habit, type Plan, pick, pickHeld } from './plan.ts'
import { identify } from './sessions.ts'

/** Signs up, each time with another name and another password. */
export const signUp: Habit = (_scene, person) => {
  const count = person.passwords.length
  const name = `${person.name} ${count}`
  const password = `a heron stands in pond number ${count}`
  person.passwords = [...person.passwords, password]
  return {
    what: 'sign up',
    claims: { newEmail: person.email },
    async ask({ accounts }) {
      const { browserSecret } = await accounts.signUp({
        ...{ email: person.email, password, name, attempt: attemptOf(person) },
      })
      person.signUps.push({ name, password, browserSecret })
      return {}
    },
  }
}

/** Follows the link: with the password or in the browser of a sign-up, which is perhaps another one, or with neither. */
export const verify: Habit = (scene, person) => {
  const found = drawLink(scene, person, '/verify')
  if (!found) return null
  const signedUp = scene.choices.chance(80) ? pick(scene, person.signUps) : undefined
  return verifyWith(person, { ...found, signedUp, isSameBrowser: scene.choices.chance(50) })
}

interface Followed extends Link {
  /** The sign-up whose password or browser is shown. */
  readonly signedUp?: SignUp | undefined
  readonly isSameBrowser?: boolean
}

export function verifyWith(person: Person, { link, mailedAt, signedUp, isSameBrowser = false }: Followed): Plan {
  const { password = null, browserSecret = null } = signedUp ?? {}
  return {
    what: 'follow the link of a sign-up',
    claims: { link, mailedAt, sets: { status: 'active', password: unknown }, audited: 'email.verified' },
    async ask({ accounts }) {
      const shown = isSameBrowser ? { browserSecret } : { password }
      const result = await accounts.verifyEmail({ token: link, ...shown, attempt: attemptOf(person) })
      if (!result.ok) return 'link'
      person.id = result.account.id
      const sets = { password: result.hasPassword ? password : null }
      if (sets.password !== null) person.passwords = [...person.passwords, sets.password]
      return { sets }
    },
  }
}

/** Deletes the account. */
export const leave: Habit = (scene, person) => {
  const held = pickHeld(scene, person)
  if (!held) return null
  return {
    what: 'delete the account',
    claims: {
      presents: held.credential,
      sets: { status: 'deleted' },
      revokes: 'all',
      lingers: person.isAdministrator,
      audited: 'account.deleted',
      mails: 'account-deleted',
    },
    async ask(service) {
      const identity = await identify(service, held)
      if (!identity) return 'credential'
      const result = await service.accounts.deleteAccount({ identity, attempt: attemptOf(person) })
      return result.ok ? {} : 'credentials'
    },
  }
}
