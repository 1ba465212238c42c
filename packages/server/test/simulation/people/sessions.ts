import type { Claims, Credential } from '../deeds/deed.ts'
import type { Service } from '../service/service.ts'
import type { Held, Person } from './person.ts'
import { attemptOf, type Habit, hold, idOf, keep, type Plan, pick, pickHeld } from './plan.ts'

const signInRows = { audited: 'session.created', auditedIfRefused: 'sign-in.failed' } as const

export const signIn: Habit = (scene, person) => {
  // More than a few sessions of an account show no more than these.
  if (person.credentials.length > 2 && !scene.choices.chance(20)) return null
  const isMistyped = scene.choices.chance(20)
  const password = isMistyped ? 'nobody has this password' : (person.passwords.at(-1) ?? '')
  const { email } = person
  const delivery = scene.choices.chance(50) ? 'native' : 'session'
  return {
    what: isMistyped ? 'mistype' : 'sign in',
    claims: { email, password, address: person.address, opens: true, ...signInRows },
    ask: async ({ accounts }) =>
      keep(person, await accounts.signIn({ email, password, delivery, attempt: attemptOf(person) })),
  }
}

/** Signs in with a device that has shown the second factor before. */
export const signInTrusted: Habit = (scene, person) => {
  const { devices } = person
  const trusts = scene.choices.chance(20) ? pick(scene, devices) : devices.at(-1)
  return trusts === undefined ? null : signInTrustedWith(person, trusts)
}

export function signInTrustedWith(person: Person, trusts: string): Plan {
  const { email, address } = person
  const password = person.passwords.at(-1) ?? ''
  return {
    what: 'sign in with a known device',
    claims: { email, password, address, trusts, opens: true, ...signInRows },
    ask: async ({ accounts }) =>
      keep(
        person,
        await accounts.signIn({
          ...{ email, password, delivery: 'session', trustedDeviceToken: trusts, attempt: attemptOf(person) },
        }),
      ),
  }
}

/** Signs in again in the browser that has a session. */
export const signInInstead: Habit = (scene, person) => {
  const held = pickHeld(scene, person, 'session')
  if (!held) return null
  const { email, address } = person
  const delivery = scene.choices.chance(30) ? 'native' : 'session'
  const password = person.passwords.at(-1) ?? ''
  const { credential } = held
  return {
    what: 'sign in instead',
    claims: {
      ...{ presents: credential, revokes: credential, email, password, address, opens: true },
      // A family of refresh tokens is no session: the lineage ends with the session that it replaces.
      ...(delivery === 'native' && endsLineage(credential)),
    },
    async ask({ accounts }) {
      const replaces = (await accounts.identifyCredential(credential.secret))?.session ?? null
      if (!replaces) return 'credential'
      const asked = { email, password, delivery, replaces, attempt: attemptOf(person) } as const
      return keep(person, await accounts.signIn(asked), credential)
    },
  }
}

/** Tries to revoke what somebody else has. */
export const meddle: Habit = (scene, person) => {
  const others = scene.people.filter(({ id }) => id !== person.id)
  const found = pick(
    scene,
    others.flatMap(({ credentials, keys }) => [...credentials, ...keys]),
  )
  if (!found) return null
  const { credential } = found
  return {
    what: `revoke the ${credential.kind} of somebody else`,
    claims: credential.kind === 'key' ? {} : { removesConfirms: true },
    async ask({ accounts }) {
      const asked = { subject: idOf(person), attempt: attemptOf(person) }
      const isDone =
        credential.kind === 'key'
          ? await accounts.revokeApiKey({ ...asked, id: credential.key })
          : await accounts.revokeSession({ ...asked, key: credential.key })
      return isDone ? {} : 'missing'
    },
  }
}

/** Whoever sits at an open session guesses the password. */
export const guessInSession: Habit = (scene, person) => {
  const held = pickHeld(scene, person)
  if (!held) return null
  const { email, address } = person
  const currentPassword = 'nobody has this password'
  return {
    what: 'change the password wrongly',
    claims: { presents: held.credential, password: currentPassword, address, email },
    async ask(service) {
      const identity = await identify(service, held)
      if (!identity) return 'credential'
      const asked = { identity, currentPassword, newPassword: 'a guest chose this one', attempt: attemptOf(person) }
      return (await service.accounts.changePassword(asked)).ok ? {} : 'credentials'
    },
  }
}

/** Types a password that nobody has. */
export const mistype: Habit = (_scene, person) => signInWith(person, 'nobody has this password')

/** Tries the password that was changed. */
export const signInAsBefore: Habit = (_scene, person) => {
  const password = person.passwords.at(-2)
  return password === undefined ? null : signInWith(person, password)
}

export function signInWith(person: Person, password: string, delivery: 'session' | 'native' = 'session'): Plan {
  const { email, address } = person
  return {
    what: password === person.passwords.at(-1) ? 'sign in' : 'sign in with an old password',
    claims: { email, password, address, opens: true, ...signInRows },
    ask: async ({ accounts }) =>
      keep(person, await accounts.signIn({ email, password, delivery, attempt: attemptOf(person) })),
  }
}

/** Returns the identity that a credential proves; null: it is refused. */
export async function identify(service: Service, { credential, accessToken }: Held) {
  if (credential.kind === 'session')
    return (await service.accounts.identifyCredential(credential.secret))?.facts ?? null
  const verdict = await service.tokens.verify(accessToken ?? '')
  const facts = verdict.ok ? await service.accounts.identifyToken(verdict.claims) : null
  return facts?.kind === 'account' ? facts : null
}

export const look: Habit = (scene, person) => {
  const held = pickHeld(scene, person)
  return held ? lookWith(held) : null
}

export function lookWith(held: Held): Plan {
  return {
    what: `look with ${held.credential.kind}`,
    claims: { presents: held.credential },
    async ask(service) {
      if (service.look) return (await service.look(held)) ?? 'credential'
      const facts = await identify(service, held)
      held.isOpen = facts !== null
      return facts ? { roles: facts.roles, enrolled: facts.enrolledFactors } : 'credential'
    },
  }
}

/** Looks at the sessions that the account has open. */
export const listSessions: Habit = (scene, person) => {
  const held = pickHeld(scene, person)
  return held ? listWith(held) : null
}

export function listWith(held: Held): Plan {
  return {
    what: `list the sessions with ${held.credential.kind}`,
    claims: { presents: held.credential },
    async ask(service) {
      const facts = await identify(service, held)
      if (!facts) return 'credential'
      return { listed: (await service.accounts.listSessions(facts.subject)).map(({ key }) => key) }
    },
  }
}

export const signOut: Habit = (scene, person) => {
  const held = pickHeld(scene, person)
  return held ? signOutWith(person, held) : null
}

export function signOutWith(person: Person, held: Held): Plan {
  const { credential, refreshTokens } = held
  return {
    what: 'sign out',
    claims: { presents: credential, revokes: credential, audited: 'session.ended', ...endsLineage(credential) },
    async ask({ accounts }) {
      const identity = { subject: idOf(person), key: credential.key }
      const shown = { identity, refreshToken: refreshTokens.at(-1) ?? null }
      return (await accounts.signOut({ ...shown, attempt: attemptOf(person) })) ? {} : { isVain: true }
    },
  }
}

const endsLineage = ({ lineage }: Credential) => lineage !== undefined && { endsLineage: lineage }

/** Revokes one of the sessions that the account lists. */
export const revokeOne: Habit = (scene, person) => {
  const held = pickHeld(scene, person)
  if (!held) return null
  return {
    what: 'revoke a session',
    claims: {
      ...{ revokes: held.credential, removesConfirms: true, audited: 'session.ended' },
      ...endsLineage(held.credential),
    },
    async ask({ accounts }) {
      const asked = { subject: idOf(person), key: held.credential.key }
      return (await accounts.revokeSession({ ...asked, attempt: attemptOf(person) })) ? {} : { isVain: true }
    },
  }
}

export const revokeOthers: Habit = (scene, person) => {
  const held = pickHeld(scene, person)
  if (!held) return null
  const exceptCurrent = scene.choices.chance(60)
  return {
    what: exceptCurrent ? 'revoke the other sessions' : 'revoke all sessions',
    claims: { presents: held.credential, revokes: exceptCurrent ? 'others' : 'all', audited: 'sessions.ended' },
    async ask(service) {
      const identity = await identify(service, held)
      if (!identity) return 'credential'
      const count = await service.accounts.revokeAllSessions({ identity, exceptCurrent, attempt: attemptOf(person) })
      // Either nothing else was open, or the session itself was not open any more.
      return count === 0 ? { isUnsure: true } : {}
    },
  }
}

/** A change revokes all but the credential of its request: a family goes on, a session under a new credential. */
export function revokesRest({ credential }: Held): Pick<Claims, 'revokes'> {
  return { revokes: credential.kind === 'session' ? 'all' : 'others' }
}

export const changePassword: Habit = (scene, person) => {
  const held = pickHeld(scene, person)
  if (!held) return null
  const currentPassword = person.passwords.at(-1) ?? ''
  const newPassword = `${person.name} thinks of kettle number ${person.passwords.length}`
  return {
    what: `change the password with ${held.credential.kind}`,
    claims: {
      presents: held.credential,
      password: currentPassword,
      address: person.address,
      sets: { password: newPassword },
      ...revokesRest(held),
      audited: 'password.changed',
      mails: 'password-changed',
    },
    async ask(service) {
      const identity = await identify(service, held)
      if (!identity) return 'credential'
      const passwords = { currentPassword, newPassword }
      const result = await service.accounts.changePassword({ identity, ...passwords, attempt: attemptOf(person) })
      if (!result.ok) return 'credentials'
      person.passwords = [...person.passwords, newPassword]
      return result.credentials ? { credential: hold(person, result.credentials, held.credential) } : {}
    },
  }
}
