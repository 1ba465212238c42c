import type { SecretKeys } from '@latchkey/bytes'
import { checkSecrets } from '@latchkey/bytes/internal'
import { checkOptionNames } from '@latchkey/core/internal'
import type { FactorStore, RecordStore } from '@latchkey/store'
import { checkStores } from '@latchkey/store/internal'
import { createAccountSecrets } from './account-secrets.ts'
import { checkAlgorithms, type PasskeyAlgorithm } from './algorithms.ts'
import { createChallenges } from './challenges.ts'
import { type EnrolledPasskey, toEnrolled } from './passkey.ts'
import { readPasskeyName } from './passkey-name.ts'
import { createPasskeyStore } from './passkey-store.ts'
import type { PasskeysContext } from './passkeys-context.ts'
import { type Refused, refused } from './refusal.ts'
import {
  type FinishRegistrationOptions,
  finishRegistration,
  type PasskeyAccount,
  type RegistrationVerdict,
  type StartedRegistration,
  type StartRegistrationOptions,
  startRegistration,
} from './registration.ts'
import { checkRelyingParty, publishedOrigins, type RelatedOrigins, type RelyingParty } from './relying-party.ts'
import {
  type FinishSignInOptions,
  finishSignIn,
  type PasskeyVerdict,
  type StartedSignIn,
  type StartSignInOptions,
  startSignIn,
} from './sign-in.ts'

export interface PasskeysOptions {
  /** Where passkeys are stored: they are durable. */
  readonly factors: FactorStore
  /** Where challenges are stored; its consistency must be `strong`. */
  readonly records: RecordStore
  /**
   * Of the first one the handles of accounts and the decoys are computed, which are no secrets of their own: derive them
   * with `deriveSecrets`. After a rotation, accounts with a passkey keep their handle.
   */
  readonly secrets: SecretKeys
  readonly relyingParty: RelyingParty
  /**
   * What new passkeys may sign with, the preferred one first. Passkeys of others go on.
   * @default ['ES256', 'EdDSA', 'RS256']
   */
  readonly algorithms?: readonly [PasskeyAlgorithm, ...PasskeyAlgorithm[]]
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
   * @default that of `records`
   */
  readonly now?: () => number
}

/** Passkeys of accounts. A refusal is a verdict with its reason; a store that fails makes a method reject. */
export interface Passkeys {
  /** Returns what the browser needs to make a passkey, which is none of those that the account has. */
  startRegistration(account: PasskeyAccount, options?: StartRegistrationOptions): Promise<StartedRegistration>
  /**
   * Registers the passkey of a response, for exactly one caller for each challenge. A challenge that was looked up is used
   * up, whatever comes of it.
   *
   * @param response what the browser answered: `PublicKeyCredential.toJSON()`, or its text.
   */
  finishRegistration(
    accountId: string,
    response: unknown,
    options: FinishRegistrationOptions,
  ): Promise<RegistrationVerdict>
  /** Returns what the browser needs to sign in, by any passkey or by those of one account. */
  startSignIn(options?: StartSignInOptions): Promise<StartedSignIn>
  /**
   * Returns whose passkey has signed, to exactly one caller for each challenge. Whether the account may sign in, and
   * what it gets, is up to the caller.
   *
   * @param response what the browser answered: `PublicKeyCredential.toJSON()`, or its text.
   */
  finishSignIn(response: unknown, options?: FinishSignInOptions): Promise<PasskeyVerdict>
  /** Returns the passkeys of an account, the oldest first. */
  list(accountId: string): Promise<readonly EnrolledPasskey[]>
  /** Removes a passkey of the account: true for exactly one caller. Browsers keep offering it until their owner deletes it. */
  remove(accountId: string, id: string): Promise<boolean>
  /** As `remove`, where the account has another passkey: however many are removed at once, one is left. */
  removeUnlessLast(accountId: string, id: string): Promise<boolean>
  /** Changes the name of a passkey of the account. */
  rename(accountId: string, id: string, name: string): Promise<RenameVerdict>
  /**
   * What `https://<id>/.well-known/webauthn` answers as `application/json`; `null`: no page on another domain may use the
   * passkeys, so that there is nothing to answer.
   */
  readonly relatedOrigins: RelatedOrigins | null
}

/** What came of a new name. */
export type RenameVerdict =
  | { readonly ok: true; readonly passkey: EnrolledPasskey }
  | Refused<'name' | 'unknown-passkey'>

/**
 * Creates passkeys over a factor store and a record store: registration, sign-in without a user name, second factor and
 * step-up with WebAuthn. Each challenge is random, kept for five minutes, bound to its ceremony, account and session, and
 * used once.
 *
 * @throws TypeError when an option is unknown or cannot be used, for example an origin that does not fit the domain.
 *
 * @example
 * import { randomBytes } from '@latchkey/bytes'
 * import { createPasskeys } from '@latchkey/passkeys'
 * import { createMemoryFactorStore, createMemoryRecordStore } from '@latchkey/store'
 * const passkeys = createPasskeys({
 *   factors: createMemoryFactorStore(),
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
      const found = await passkeys.list(accountId)
      return found.map(({ factor, value }) => toEnrolled(factor.id, value))
    },
    async remove(accountId, id) {
      return (await passkeys.ownerOf(id)) === accountId && (await passkeys.remove(id))
    },
    async removeUnlessLast(accountId, id) {
      return (await passkeys.ownerOf(id)) === accountId && (await passkeys.removeUnlessLast(id))
    },
    async rename(accountId, id, name) {
      const shown = readPasskeyName(name)
      if (shown === null) return refused('name')
      const changed = await passkeys.change(id, (value, owner) =>
        owner === accountId ? { ...value, name: shown } : { stop: 'unknown-passkey' as const },
      )
      if (changed === null || 'stop' in changed) return refused('unknown-passkey')
      return { ok: true, passkey: toEnrolled(id, changed.value) }
    },
    relatedOrigins: publishedOrigins(options.relyingParty),
  }
}

const optionNames = {
  factors: true,
  records: true,
  secrets: true,
  relyingParty: true,
  algorithms: true,
  userVerification: true,
  challengeSeconds: true,
  now: true,
} as const

function createContext(options: PasskeysOptions): PasskeysContext {
  const { factors, records, userVerification = 'required' } = checkOptionNames('createPasskeys', options, optionNames)
  if (typeof factors?.listByAccount !== 'function') throw new TypeError('"factors" must be a factor store')
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
    passkeys: createPasskeyStore(factors),
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
