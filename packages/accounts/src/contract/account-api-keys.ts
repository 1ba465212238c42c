import type { Attempt } from '../attempt.ts'
import type { Rejection } from '../errors.ts'
import type { AccountFacts } from './account-facts.ts'
import type { SignedInIdentity } from './signed-in-identity.ts'

/**
 * Keys with which programs act for an account, as a third party does: within the scopes of the key and the roles of the account.
 * Without the option `apiKeys` all of them but `listApiKeys` throw `OPERATION_UNAVAILABLE`.
 */
export interface AccountApiKeys {
  /**
   * Creates a key, and mails its owner. The caller checks for a fresh proof.
   * @returns `reason: 'invalid-credentials'` if the account has changed since the request started; no key is stored
   * then.
   * @throws AccountsError API_KEY_REJECTED with the field `name`, `scopes` or `expiresInDays`; no key is stored.
   */
  createApiKey(input: {
    readonly identity: SignedInIdentity
    /** 1 to 64 characters. */
    readonly name: string
    /** At least one scope. `mayGrant` must allow each of them for the account now. */
    readonly scopes: readonly string[]
    /**
     * 1 to `maxDays`.
     * @default 90, or `maxDays` if that is less
     */
    readonly expiresInDays?: number
    readonly attempt: Attempt
  }): Promise<
    | {
        readonly ok: true
        readonly apiKey: Awaited<ReturnType<AccountApiKeys['listApiKeys']>>[number]
        /** The key, readable this once: never log it. */
        readonly key: string
      }
    | Rejection<'invalid-credentials'>
  >
  /** Returns the keys of an account that have not expired, the newest first. */
  listApiKeys(subject: string): Promise<
    readonly {
      /** Public: it gives no access. */
      readonly id: string
      readonly name: string
      /** The first 8 characters of the key. */
      readonly start: string
      readonly scopes: readonly string[]
      /** Epoch milliseconds, as the two below. */
      readonly createdAt: number
      readonly expiresAt: number
      /** Accurate to a minute; `null`: never. */
      readonly lastUsedAt: number | null
    }[]
  >
  /** Revokes a key of the account, but never one of another account. `true` for exactly one caller. */
  revokeApiKey(input: { readonly subject: string; readonly id: string; readonly attempt: Attempt }): Promise<boolean>
  /** Revokes a leaked key of any account. `false`: the key is not valid, or was revoked before. */
  revokeLeakedApiKey(input: { readonly key: string; readonly attempt: Attempt }): Promise<boolean>
  /** Whether a text has the prefix of keys. Only `identifyApiKey` says whether it is a valid key. */
  isApiKey(text: string): boolean
  /**
   * Returns the facts for an identity while the key is valid and its account is active; `null` for a key that is unknown, has expired or
   * was revoked. A key with a wrong check reads no document. Keys that are not accepted count for the address: 30 within a minute.
   * They never limit a valid key.
   * @throws AccountsError ATTEMPTS_RATE_LIMITED. It counts `requestsPerMinute` of a key.
   */
  identifyApiKey(input: {
    readonly key: string
    /**
     * `false`: a check that no request asked for. It counts for no limit, and is no use of the key.
     * @default true
     */
    readonly isUse?: boolean
    readonly attempt: Attempt
  }): Promise<{
    readonly facts: AccountFacts & { readonly apiKey: string }
    /** Epoch milliseconds. */
    readonly expiresAt: number
  } | null>
}
