import type { SignInResult } from '@latchkey/accounts'
import { createSoftwareAuthenticator, type SoftwareAuthenticator } from '@latchkey/passkeys/testing'
import { unknown, type Yield } from '../deeds/deed.ts'
import { changeOf, loseCodes } from './factors.ts'
import { forgetPasskey } from './passkeys-held.ts'
import type { Challenge, Passkey, PasskeyResponse, Person } from './person.ts'
import { attemptOf, type Habit, keep, type Plan, pick, pickHeld } from './plan.ts'
import { identify } from './sessions.ts'

type CreationOptions = Parameters<SoftwareAuthenticator['create']>[0]
type RequestOptions = Parameters<SoftwareAuthenticator['get']>[0]

/** What only the browser of the person has. */
const bindingOf = ({ name }: Person): string => `the browser of ${name}`

/** Makes a passkey, unless there is one. */
export const startPasskey: Habit = (scene, person) => {
  const held = pickHeld(scene, person)
  if (!held || person.passkeys.perhaps !== null) return null
  return {
    what: 'make a passkey',
    claims: { presents: held.credential },
    async ask(service) {
      const identity = await identify(service, held)
      if (!identity) return 'credential'
      const started = await service.accounts.startPasskeyRegistration({ identity, attempt: attemptOf(person) })
      if (!started.ok) return 'credentials'
      const options = started.options as CreationOptions
      // Another tab was faster.
      if (person.passkeys.perhaps !== null || (options.excludeCredentials ?? []).length > 0) return 'excluded'
      const authenticator = createSoftwareAuthenticator({ origin: 'https://example.com', algorithm: 'EdDSA' })
      const response = await authenticator.create(options)
      person.passkeys.pending = { passkey: { id: response.id, authenticator }, response, held }
      return {}
    },
  }
}

/** Registers the passkey that was made, mostly in the session in which it was. */
export const confirmPasskey: Habit = (scene, person) => {
  const { passkeys } = person
  if (!passkeys.pending) return null
  const { passkey, response } = passkeys.pending
  const held = scene.choices.chance(20) ? pickHeld(scene, person) : passkeys.pending.held
  if (!held || (passkeys.perhaps !== null && passkeys.perhaps !== passkey)) return null
  return changeOf(person, held, {
    what: 'register the passkey',
    claims: { sets: { passkey: passkey.id }, audited: 'factor.added', mails: 'factor-added' },
    async change({ accounts }, identity) {
      const before = passkeys.perhaps
      if (before !== null && before !== passkey) return null
      if (!passkeys.tried.includes(passkey)) passkeys.tried.push(passkey)
      passkeys.perhaps = passkey
      passkeys.underWay++
      const asked = { identity, name: 'A passkey', response, attempt: attemptOf(person) }
      const result = await accounts.finishPasskeyRegistration(asked).finally(() => passkeys.underWay--)
      passkeys.pending = null
      if (result.ok) {
        passkeys.perhaps = passkey
        return result
      }
      if (before === null) forgetPasskey(person)
      return null
    },
  })
}

export const removePasskey: Habit = (scene, person) => {
  const held = pickHeld(scene, person)
  if (!held || person.passkeys.tried.length === 0) return null
  const hasApp = person.totp !== null || person.pendingTotp !== null
  return changeOf(person, held, {
    what: 'remove the passkey',
    claims: {
      // Recovery codes are for an app, too.
      sets: { passkey: null, codes: hasApp ? unknown : '' },
      ...{ audited: 'factor.removed', mails: 'factor-removed' },
    },
    async change({ accounts }, identity) {
      const [passkey] = await accounts.listPasskeys(identity.subject)
      const asked = passkey && { identity, id: passkey.id, attempt: attemptOf(person) }
      const result = asked ? await accounts.removePasskey(asked) : null
      if (result?.ok !== false) forgetPasskey(person)
      if (!result) return 'missing'
      if (!result.ok) return null
      if (!hasApp) loseCodes(person)
      return result
    },
  })
}

/** Lets a passkey sign, mostly the latest, and shows it to nobody yet. */
export const beginByPasskey: Habit = (scene, person) => {
  const { tried } = person.passkeys
  const passkey = scene.choices.chance(10) ? pick(scene, tried) : tried.at(-1)
  return passkey ? beginWith(person, passkey) : null
}

export function beginWith(person: Person, { id, authenticator }: Passkey): Plan {
  return {
    what: 'let a passkey sign',
    claims: {},
    async ask({ accounts }) {
      const asked = { binding: bindingOf(person), attempt: attemptOf(person) }
      const started = await accounts.startPasskeySignIn(asked)
      if (!started.ok) return 'credentials'
      const options = started.options as RequestOptions
      const ceremony = options.challenge
      person.passkeys.responses.push({ id, ceremony, response: await authenticator.get(options) })
      return { ceremony }
    },
  }
}

/** Shows what a passkey has signed: mostly the latest. */
export const signInByPasskey: Habit = (scene, person) => {
  const { responses } = person.passkeys
  const response = scene.choices.chance(20) ? pick(scene, responses) : responses.at(-1)
  return response ? signInByPasskeyWith(person, response) : null
}

export function signInByPasskeyWith(person: Person, { id, ceremony, response }: PasskeyResponse): Plan {
  return {
    what: 'sign in with a passkey',
    claims: { passkey: { id, ceremony }, opens: true, audited: 'session.created' },
    async ask({ accounts }) {
      const shown = { response, binding: bindingOf(person), delivery: 'session', attempt: attemptOf(person) } as const
      return keep(person, await accounts.finishPasskeySignIn(shown))
    },
  }
}

/** Answers the question for a second factor with the passkey: mostly the latest. */
export const answerByPasskey: Habit = (scene, person) => {
  const old = scene.choices.chance(30) ? pick(scene, person.challenges) : undefined
  const challenge = old ?? person.challenges.at(-1)
  const passkey = person.passkeys.tried.at(-1)
  return challenge && passkey ? answerByPasskeyWith(person, challenge, passkey) : null
}

export function answerByPasskeyWith(person: Person, { text, sets }: Challenge, passkey: Passkey): Plan {
  return {
    what: sets ? 'finish the reset with a passkey' : 'answer with a passkey',
    claims: {
      ...{ passkey: { id: passkey.id }, answers: text, opens: true },
      ...(sets && { sets, revokes: 'all', audited: 'password.reset', mails: 'password-changed' }),
    },
    async ask({ accounts }) {
      const asked = { challenge: text, attempt: attemptOf(person) }
      const started = await accounts.startPasskeySignIn(asked)
      const options = started.ok ? (started.options as RequestOptions) : null
      if (!options || !isAllowed(passkey, options)) return 'credentials'
      const response = await passkey.authenticator.get(options)
      const shown = { ...asked, response, delivery: 'session', trustDevice: sets === undefined } as const
      const result = await accounts.finishPasskeySignIn(shown)
      const kept = keep(person, result)
      if (typeof kept === 'string') return kept
      if (sets?.password) person.passwords = [...person.passwords, sets.password]
      return { ...kept, ...trustOf(person, result) }
    },
  }
}

const isAllowed = ({ id }: Passkey, { allowCredentials: allowed = [] }: RequestOptions): boolean =>
  allowed.length === 0 || allowed.some((each) => each.id === id)

/** Remembers what lets the device do without a second factor. */
function trustOf({ devices }: Person, result: SignInResult): Pick<Yield, 'trusted'> {
  const trusted = result.ok && result.status === 'signed-in' ? result.trustedDeviceToken : null
  if (trusted === null) return {}
  devices.push(trusted)
  return { trusted }
}
