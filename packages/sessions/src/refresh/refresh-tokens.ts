import type { FactorProof, StoredRecord } from '@latchkey/store'
import type { Device } from '../device.ts'
import type { Impersonation } from '../impersonation.ts'
import type { ProviderSession } from '../provider-session.ts'
import type { RefreshFamily } from './refresh-family.ts'

/** A new family with its first token, which cannot be read again. */
export interface IssuedFamily {
  readonly token: string
  readonly family: RefreshFamily
}

/** `replayed`: the successor was issued before, to the same client within the grace window. */
export type RefreshVerdict =
  | { readonly ok: true; readonly token: string; readonly family: RefreshFamily; readonly replayed: boolean }
  | {
      readonly ok: false
      /**
       * The reason of the refusal. The store did not change.
       * - `unknown`: not a token of an existing family: malformed, guessed, expired or revoked.
       * - `client`: a token of the family, however old, presented by a client that it was not issued to (RFC 6749 §6).
       * - `channel`: the newest token, presented on another channel than it was issued on.
       * - `key`: a token of a family that is bound to a key, presented without a proof of that key (RFC 9449 §5).
       * - `not-allowed`: `isAllowed` returned false.
       */
      readonly reason: 'unknown' | 'client' | 'channel' | 'key' | 'not-allowed'
    }
  | {
      readonly ok: false
      /** An old token: a copy of it exists, so the family was removed (RFC 9700 §4.14.2). */
      readonly reason: 'reused'
      /** The removed family for the caller that removed it; `null` for concurrent callers. */
      readonly family: RefreshFamily | null
    }

/** Refresh tokens that work once each. */
export interface RefreshTokens {
  /** Creates a family and returns its first token, which cannot be read again. */
  issue(input: {
    /**
     * The permissions that the grant to a third party allows.
     * @default null, none
     */
    readonly scopes?: readonly string[] | null
    /**
     * The id of the consent that the family is given by.
     * @default null
     */
    readonly grant?: string | null
    /**
     * The thumbprint of the key of the client (`cnf.jkt`, RFC 9449 §6.1).
     * @default null: the tokens are bound to no key
     */
    readonly keyBinding?: string | null
    readonly subject: string
    /**
     * The account's epoch at sign-in.
     * @default 0
     */
    readonly epoch?: number
    /** `first-party` for the service itself, or the id of a third party, with its grant. */
    readonly clientId: string
    /**
     * How the tokens will travel.
     * @default 'cookie'
     */
    readonly channel?: string
    readonly factors: readonly FactorProof[]
    readonly device?: Device
    /**
     * The time at which the account was first asked for a second factor, in epoch milliseconds. The family and its
     * replacements by `regenerate` keep it.
     * @default null
     */
    readonly enrollmentSince?: number | null
    /**
     * An administrator who acts as the account. The family's tokens cannot be redeemed: the only access token is the
     * token signed at its creation.
     * @default null
     */
    readonly impersonation?: Impersonation | null
    /**
     * The sign-in at a provider that led to it. The family and its replacements by `regenerate` keep it.
     * @default null
     */
    readonly provider?: ProviderSession | null
    /**
     * The key of the session in which the family is issued and with which it expires (`revokeBySession`).
     * @default null, which outlives every session
     */
    readonly session?: string | null
    /**
     * The key of the session in which the family is issued, if the family outlives it.
     * @default `session`
     */
    readonly givenIn?: string | null
    /**
     * The agreed resources (RFC 8707).
     * @default [], the service itself
     */
    readonly resources?: readonly string[]
    /**
     * The time of the authentication for which the family is issued, in epoch milliseconds: later proofs do not change
     * it.
     * @default null, the last of `factors`
     */
    readonly authenticatedAt?: number | null
    /**
     * The latest expiry of the family, in epoch milliseconds.
     * @default `familyTtlSeconds` from now
     */
    readonly endsAt?: number
  }): Promise<IssuedFamily>
  /**
   * Like `issue`, for a credential that may issue a family only once, for example an authorization code: `accept`
   * receives the key before the family is stored, and stores the key for a second use to find.
   *
   * @returns `null` without storing a family if `accept` returned `false`.
   */
  issueOnce(
    input: Parameters<RefreshTokens['issue']>[0],
    accept: (key: string) => Promise<boolean>,
  ): Promise<IssuedFamily | null>
  /**
   * Exchanges a token for its successor. Under any concurrency there is exactly one successor. A repetition within
   * `graceSeconds` of the exchange, by the store's clock and until the successor is used, returns the same successor
   * and writes no record; so does a repetition with the same `idempotencyKey` within `retrySeconds`. A later repetition
   * revokes the family. A family that is bound to a key repeats without a time limit. A presenter who is not the
   * family's client, or does not hold its key, is refused without a change. A device whose response was lost must
   * repeat its request within these times: a longer outage signs it out. The account may have changed: compare
   * `family.epoch` with the account's before issuing any token.
   *
   * @param presenter the client and the channel that present the token, and the key that they hold.
   * @throws StoreError `STORE_UNAVAILABLE` if the record kept changing meanwhile: the token stays valid.
   */
  redeem(
    token: string | null,
    presenter: {
      readonly clientId: string
      /** @default 'cookie' */
      readonly channel?: string
      /**
       * The thumbprint of the key that the request has proven to hold.
       * @default null
       */
      readonly keyBinding?: string | null
      /**
       * Names the request, so that it can be repeated: at least 128 random bits, which the device stores before it sends them. The
       * store holds a digest.
       * @default null
       */
      readonly idempotencyKey?: string | null
      /**
       * Returns whether the family may give anything now. Called for the newest and the previous token of this presenter,
       * before anything changes. Omitted: it may.
       */
      readonly isAllowed?: (family: RefreshFamily) => Promise<boolean>
      /** As for `read` of `Sessions`. */
      readRecord?(key: string): Promise<StoredRecord | null>
    },
  ): Promise<RefreshVerdict>
  /**
   * Returns an unexpired family by its key, the `sid` of an access token, or `null`. A key proves no identity of its
   * bearer.
   */
  read(
    key: string,
    options?: {
      /** As for `read` of `Sessions`. */
      readRecord?(key: string): Promise<StoredRecord | null>
    },
  ): Promise<RefreshFamily | null>
  /**
   * Returns the family of its newest token or of the previous one, without using the token up: to end the family at
   * sign-out, or with `redeemable` to say whether the token is of use. Where access is granted, use `redeem`.
   */
  identify(
    token: string | null,
    options?: {
      /**
       * Only by a token that `redeem` would accept now, of the client and with the key of the family: the previous one counts
       * within its grace.
       * @default false: the previous one counts however long ago it was replaced
       */
      readonly redeemable?: boolean
    },
  ): Promise<RefreshFamily | null>
  /**
   * Moves a family to a new epoch of its account that its own holder has raised, adds newer proofs, and removes proofs
   * that no longer count. Its tokens stay valid.
   *
   * @returns `false` if it has expired or was revoked, has a later epoch, or has an `impersonation`.
   */
  renew(
    family: RefreshFamily,
    change: {
      /** The epoch of the account. */
      readonly epoch: number
      /**
       * The newer proofs: each replaces the earlier proof of its kind.
       * @default []
       */
      readonly factors?: readonly FactorProof[]
      /**
       * The kinds whose earlier proofs count no longer.
       * @default []
       */
      readonly without?: readonly string[]
    },
  ): Promise<boolean>
  /**
   * Replaces a family by a family with a new key and newer proofs, for step-up and change of privilege: the old tokens
   * are invalid at once. Lineage, client, grant, key, channel, device and expiry stay.
   *
   * @returns `null` if it was revoked meanwhile, and the new family is revoked too.
   */
  regenerate(
    family: RefreshFamily,
    change: Parameters<RefreshTokens['renew']>[1],
    options?: {
      /** Called once the new family is stored, before the old one is revoked. If it rejects, the old one stays. */
      beforeRevocation?(): Promise<void>
    },
  ): Promise<IssuedFamily | null>
  /** Revokes a family; returns `true` to exactly one caller. */
  revoke(key: string): Promise<boolean>
  /**
   * Revokes the families of an account that expire with this session, and returns the number that this call has
   * revoked.
   */
  revokeBySession(
    subject: string,
    session: string,
    options?: {
      /** Returns whether a family is to be revoked. Omitted: all are. */
      readonly isMeant?: (family: RefreshFamily) => boolean
    },
  ): Promise<number>
}
