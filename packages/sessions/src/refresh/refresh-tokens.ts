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
       * Why the token was rejected; nothing has changed.
       * - `unknown`: not a token of a living family: malformed, guessed, expired or revoked.
       * - `client`: a token of the family, however old, presented by another client than it was issued to (RFC 6749 §6).
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
      /** The family as it was. Of several callers that find out at once, the one that removed it gets it; the others `null`. */
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
     * Since when the account is asked to set up a second factor, epoch milliseconds. The family keeps it, and what replaces it
     * by `regenerate` does.
     * @default null
     */
    readonly enrollmentSince?: number | null
    /**
     * An administrator who acts as the account. Its tokens are not redeemed: what is signed beside the first one is all.
     * @default null
     */
    readonly impersonation?: Impersonation | null
    /**
     * The sign-in at a provider that it comes of. What replaces it by `regenerate` keeps it.
     * @default null
     */
    readonly provider?: ProviderSession | null
    /**
     * The key of the session out of which the family was given and with which it ends (`revokeBySession`).
     * @default null, which outlives every session
     */
    readonly session?: string | null
    /**
     * The key of the session out of which the family was given, where it outlives that.
     * @default `session`
     */
    readonly givenIn?: string | null
    /**
     * The resources that were agreed on (RFC 8707).
     * @default [], those of the service itself
     */
    readonly resources?: readonly string[]
    /**
     * When the user authenticated for what the family was given by, epoch milliseconds: later proofs do not change it.
     * @default null, the last of `factors`
     */
    readonly authenticatedAt?: number | null
    /**
     * When the family ends at the latest, epoch milliseconds.
     * @default `familyTtlSeconds` from now
     */
    readonly endsAt?: number
  }): Promise<IssuedFamily>
  /**
   * As `issue`, for what may give a family only once, such as an authorization code: `accept` gets the key before anything
   * is stored, and writes it where a second use will find it. `null`: it returned `false`, and nothing is stored.
   */
  issueOnce(
    input: Parameters<RefreshTokens['issue']>[0],
    accept: (key: string) => Promise<boolean>,
  ): Promise<IssuedFamily | null>
  /**
   * Exchanges a token for its successor. Under any concurrency there is exactly one successor. A repetition within
   * `graceSeconds` of the exchange, by the store's clock and until the successor is used, returns the same one and writes
   * nothing; so does one with the same `idempotencyKey` within `retrySeconds`. A later one ends the family. A family that is bound
   * to a key repeats without a time limit.
   *
   * A presenter who is not the family's client, or does not hold its key, is refused and changes nothing.
   *
   * A device whose response was lost has that long to repeat its request: a longer outage signs it out.
   *
   * The account may have changed: compare `family.epoch` with the account's before issuing anything.
   *
   * @param presenter the client and the channel that present the token, and the key that they hold.
   * @throws StoreError `STORE_UNAVAILABLE` when the record kept changing in between: the token stays valid.
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
   * Returns a living family by its key, the `sid` of an access token, or `null`. A key proves nothing about its bearer.
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
   * Moves a family to a new epoch of its account, when its own holder raised it, adds what was proven since, and
   * takes proofs from it that count no longer. Its tokens stay valid. `false`: it has ended, has a later epoch, or is that of
   * who acts as another account.
   */
  renew(
    family: RefreshFamily,
    change: {
      /** The epoch of the account. */
      readonly epoch: number
      /**
       * What was proven since: each takes the place of the earlier proof of its kind.
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
   * Replaces a family by one under a new key, with what was proven since, for step-up and change of privilege: its tokens
   * are dead at once. Lineage, client, grant, key, channel, device and end stay. `null`: it was revoked in between, and so is
   * the new one.
   */
  regenerate(
    family: RefreshFamily,
    change: Parameters<RefreshTokens['renew']>[1],
    options?: {
      /** Called once the new family is stored, before the old one is revoked. If it rejects, the old one stays. */
      beforeRevocation?(): Promise<void>
    },
  ): Promise<IssuedFamily | null>
  /** Ends a family; `true` for exactly one caller. */
  revoke(key: string): Promise<boolean>
  /** Ends the families of an account that end with this session, and returns how many this call has ended. */
  revokeBySession(
    subject: string,
    session: string,
    options?: {
      /** Returns whether a family is one of those to end. Omitted: all are. */
      readonly isMeant?: (family: RefreshFamily) => boolean
    },
  ): Promise<number>
}
