import type { SecretKeys } from '@latchkey/bytes'
import { checkSecrets } from '@latchkey/bytes/internal'
import { checkOptionNames } from '@latchkey/core/internal'
import type { DocumentStore, RecordStore } from '@latchkey/store'
import { checkStores } from '@latchkey/store/internal'
import { createAccountSecrets } from './account-secrets.ts'
import { checkAlgorithms } from './algorithms.ts'
import { createChallenges } from './challenges.ts'
import { listPasskeys, openPasskeys, toEnrolled } from './passkey.ts'
import { readPasskeyName } from './passkey-name.ts'
import type { Passkeys } from './passkeys.ts'
import type { PasskeysContext } from './passkeys-context.ts'
import { finishRegistration, startRegistration } from './registration.ts'
import { checkRelyingParty, publishedOrigins, type RelyingParty } from './relying-party.ts'
import { finishSignIn, startSignIn } from './sign-in.ts'
import { refused } from './verdicts.ts'

export interface PasskeysOptions {
  /** Keeps the passkeys. */
  readonly documents: DocumentStore
  /** Where challenges are stored; its consistency must be `strong`. */
  readonly records: RecordStore
  /**
   * The first secret derives the handles of accounts and the decoys. Create this option with `deriveSecrets`. After a
   * rotation, accounts with a passkey keep their handle.
   */
  readonly secrets: SecretKeys
  readonly relyingParty: RelyingParty
  /**
   * The algorithms of new passkeys, the preferred one first. Registered passkeys with other algorithms still sign in.
   * @default ['ES256', 'EdDSA', 'RS256']
   */
  readonly algorithms?: readonly ('ES256' | 'EdDSA' | 'RS256')[]
  /**
   * `required`: each ceremony needs a PIN, a fingerprint or a face, and a passkey is two factors. `preferred`: the category
   * of a proof says which it was; sign in with one of `have` only after a password.
   * @default 'required'
   */
  readonly userVerification?: 'required' | 'preferred'
  /**
   * How long a ceremony may take, from 30 to 600.
   * @default 300
   */
  readonly challengeSeconds?: number
  /**
   * The clock, epoch milliseconds.
   * @default the clock of `records`
   */
  readonly now?: () => number
}

/**
 * Creates passkeys over a document store and a record store: registration, sign-in without a user name, second factor and
 * step-up with WebAuthn. Each challenge is random, kept for five minutes, bound to its ceremony, account and session, and
 * used once.
 *
 * @throws TypeError when an option is unknown or cannot be used, for example an origin that does not fit the domain.
 *
 * @example
 * import { randomBytes } from '@latchkey/bytes'
 * import { createPasskeys } from '@latchkey/passkeys'
 * import { createMemoryDocumentStore, createMemoryRecordStore } from '@latchkey/store'
 * const passkeys = createPasskeys({
 *   documents: createMemoryDocumentStore(),
 *   records: createMemoryRecordStore(),
 *   secrets: [{ id: '2026-01', bytes: randomBytes(32) }],
 *   relyingParty: { id: 'example.com', name: 'Example', origins: ['https://example.com'] },
 * })
 * const { options } = await passkeys.startSignIn() // for navigator.credentials.get
 */
export function createPasskeys(options: PasskeysOptions): Passkeys {
  const context = createContext(options)
  const { passkeys } = context
  return {
    startRegistration: (account, start) => startRegistration(context, account, start),
    finishRegistration: (accountId, response, finish) => finishRegistration(context, accountId, response, finish),
    startSignIn: (start) => startSignIn(context, start),
    finishSignIn: (response, finish) => finishSignIn(context, response, finish),
    async list(accountId) {
      return (await listPasskeys(passkeys, accountId)).map(toEnrolled)
    },
    async remove(accountId, id) {
      return (await passkeys.ownerOf(id)) === accountId && (await passkeys.remove(id))
    },
    async rename(accountId, id, name) {
      const shown = readPasskeyName(name)
      if (shown === null) return refused('name')
      const renamed = await passkeys.update(id, ({ owner, value }) =>
        owner === accountId ? { ...value, name: shown } : null,
      )
      return renamed ? { ok: true, passkey: toEnrolled(renamed) } : refused('unknown-passkey')
    },
    relatedOrigins: publishedOrigins(options.relyingParty),
  }
}

const optionNames = {
  documents: true,
  records: true,
  secrets: true,
  relyingParty: true,
  algorithms: true,
  userVerification: true,
  challengeSeconds: true,
  now: true,
} as const

function createContext(options: PasskeysOptions): PasskeysContext {
  const { documents, records, userVerification = 'required' } = checkOptionNames('createPasskeys', options, optionNames)
  checkStores({ records })
  if (records.capabilities.consistency !== 'strong') {
    throw new TypeError('"records" must be strongly consistent: single use needs exactly one winner')
  }
  if (userVerification !== 'required' && userVerification !== 'preferred') {
    throw new TypeError('"userVerification" must be required or preferred')
  }
  const { now = () => records.now(), algorithms = ['ES256', 'EdDSA', 'RS256'] } = options
  const challengeSeconds = checkSeconds(options.challengeSeconds ?? 300)
  return {
    passkeys: openPasskeys(documents),
    challenges: createChallenges({ records, challengeSeconds, now }),
    accountSecrets: createAccountSecrets(checkSecrets(options.secrets)),
    relyingParty: checkRelyingParty('createPasskeys', options.relyingParty),
    algorithms: checkAlgorithms(algorithms),
    userVerification,
    challengeSeconds,
    now,
  }
}

function checkSeconds(seconds: number): number {
  if (Number.isInteger(seconds) && seconds >= 30 && seconds <= 600) return seconds
  throw new TypeError('"challengeSeconds" must be a whole number of seconds from 30 to 600')
}
