import type { FactorProof, StoredRecord } from '@latchkey/store'
import type { Device } from '../device.ts'
import type { Impersonation } from '../impersonation.ts'
import type { ProviderSession } from '../provider-session.ts'
import type { ListedSession } from './listed-session.ts'
import type { Session } from './session.ts'

/** A new session with its credential, which cannot be read again. */
export interface IssuedSession {
  readonly credential: string
  readonly session: Session
}

/** Sessions on the server: the browser holds an opaque credential, the store a digest of it. */
export interface Sessions {
  /**
   * Creates a session, always under a new key. With `replaces` it serves sign-in, step-up and change of privilege: the
   * new record is stored, then the old record removed. An expired old session is no obstacle.
   *
   * @returns `null` if the old session was revoked meanwhile: the new session is removed too, so that it cannot outrun
   * a revocation.
   */
  create(input: {
    /** The account's id. */
    readonly subject: string
    /**
     * The account's epoch at sign-in.
     * @default 0
     */
    readonly epoch?: number
    /** The factors that were proven, with their times. */
    readonly factors: readonly FactorProof[]
    readonly device?: Device
    /**
     * The time at which the account was first asked for a second factor, in epoch milliseconds. The session and its
     * replacements by `regenerate` keep it.
     * @default null
     */
    readonly enrollmentSince?: number | null
    /**
     * `false`: its cookie ends with the browser.
     * @default true
     */
    readonly persistent?: boolean
    /**
     * An administrator who acts as the account. It is not carried on by `regenerate`.
     * @default null
     */
    readonly impersonation?: Impersonation | null
    /**
     * The sign-in at a provider that led to it. The session and its replacements by `regenerate` keep it.
     * @default null
     */
    readonly provider?: ProviderSession | null
    /**
     * The latest expiry of the session, in epoch milliseconds.
     * @default `ttlSeconds` from now
     */
    readonly endsAt?: number
    /** The previous session of the same browser, which is removed once the new session is stored. */
    readonly replaces?: Session | null
    /**
     * Whether it keeps the `lineage` of the session that it replaces, if both have the same account. `false` starts a
     * new lineage, because the families of the old lineage are revoked.
     * @default true
     */
    readonly keepsLineage?: boolean
  }): Promise<IssuedSession | null>
  /** Returns the session of a credential, or `null`. Its use is written to the store later, without delaying the caller. */
  read(
    credential: string | null,
    request?: {
      /**
       * Reads the record of a key instead of the store's `get`, for a caller that reads more than it in one statement of the
       * same store.
       */
      readRecord?(key: string): Promise<StoredRecord | null>
      /**
       * The `waitUntil` of a platform that cancels the work of a request with its response, for example Workers. It
       * receives the write of the use. Omitted: the process continues the write.
       */
      waitUntil?(work: Promise<unknown>): void
    },
  ): Promise<Session | null>
  /**
   * Like `read`, without counting as use: for checks that the user did not request, which would keep the session from
   * idling.
   */
  peek(
    credential: string | null,
    options?: { readRecord?(key: string): Promise<StoredRecord | null> },
  ): Promise<Session | null>
  /**
   * Replaces a session of the subject by a session with a new credential, keeping device and persistence: `create` with
   * `replaces`, for a caller that knows the key of an established identity.
   *
   * @returns `null` if it has expired or was revoked.
   */
  regenerate(
    subject: string,
    key: string,
    input: Pick<Parameters<Sessions['create']>[0], 'epoch' | 'factors' | 'keepsLineage'>,
  ): Promise<IssuedSession | null>
  /**
   * Moves a session of the subject to a new epoch of its account that its own holder has raised, and removes proofs
   * that no longer count. Its credential stays valid.
   *
   * @returns `false` if it has expired or was revoked, has a later epoch, or has an `impersonation`.
   */
  renew(
    subject: string,
    key: string,
    input: {
      /** The epoch of the account. */
      readonly epoch: number
      /**
       * The kinds whose earlier proofs count no longer.
       * @default []
       */
      readonly without?: readonly string[]
    },
  ): Promise<boolean>
  /**
   * Returns the session of the subject with this `lineage`, or `null`. It counts as use, as in `read`. A lineage proves
   * no identity of its bearer.
   */
  readByLineage(
    subject: string,
    lineage: string,
    options?: {
      /**
       * `false`: it does not count.
       * @default true
       */
      readonly isUse?: boolean
    },
  ): Promise<Session | null>
  /** Returns the session or family of the subject with this key, or `null`. A key proves no identity of its bearer. */
  find(
    subject: string,
    key: string,
    options?: { readRecord?(key: string): Promise<StoredRecord | null> },
  ): Promise<ListedSession | null>
  /** Returns the sessions and the families of refresh tokens of the subject, the last used first. */
  list(subject: string): Promise<readonly ListedSession[]>
  /** Revokes one session or family, if it belongs to that subject. Returns `true` to exactly one caller. */
  revoke(subject: string, key: string): Promise<boolean>
  /**
   * Removes every record that the subject owns in the store, one-time links included, and returns the number of removed
   * sessions and families. Raise the account's epoch first: then no earlier session stays valid, even if the store has
   * lost its index of owners and removes none.
   */
  revokeAll(subject: string, options?: { readonly except?: string }): Promise<number>
  /** Resolves when no use is waiting to be written, for shutdown and tests. */
  settled(): Promise<void>
}
