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
   * new record is stored, then the old one removed.
   *
   * Returns `null` when the old one was revoked in between: the new one is removed too, so that a revocation cannot be
   * outrun. An old one that has merely expired refuses nothing.
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
     * Since when the account is asked to set up a second factor, epoch milliseconds. The session keeps it, and what replaces
     * it by `regenerate` does.
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
     * The sign-in at a provider that it comes of. What replaces it by `regenerate` keeps it.
     * @default null
     */
    readonly provider?: ProviderSession | null
    /**
     * When the session ends at the latest, epoch milliseconds.
     * @default `ttlSeconds` from now
     */
    readonly endsAt?: number
    /** The session of the same browser until now: it ends when the new one begins. */
    readonly replaces?: Session | null
    /**
     * Whether it goes on under the `lineage` of the session that it replaces, where that is of the same account. `false`: it begins
     * one of its own, because what was given out of the others has ended.
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
       * The `waitUntil` of a platform that stops the work of a request with its response, such as Workers: it is given the
       * write of the use. Omitted: the process continues by itself.
       */
      waitUntil?(work: Promise<unknown>): void
    },
  ): Promise<Session | null>
  /** Like `read`, without counting as use: for checks that the user did not ask for, which would keep it from idling. */
  peek(
    credential: string | null,
    options?: { readRecord?(key: string): Promise<StoredRecord | null> },
  ): Promise<Session | null>
  /**
   * Replaces a session of the subject by one with a new credential, keeping device and persistence: `create` with
   * `replaces`, for a caller that knows the key of an established identity. `null`: it has ended.
   */
  regenerate(
    subject: string,
    key: string,
    input: Pick<Parameters<Sessions['create']>[0], 'epoch' | 'factors' | 'keepsLineage'>,
  ): Promise<IssuedSession | null>
  /**
   * Moves a session of the subject to a new epoch of its account, when its own holder raised it, and takes proofs from it
   * that count no longer. Its credential stays valid. `false`: it has ended, has a later epoch, or is that of who acts as another
   * account.
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
   * Returns the session of the subject with this `lineage`, or `null`. It counts as use, as in `read`. A lineage proves nothing
   * about its bearer.
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
  /** Returns the session or family of the subject with this key, or `null`. A key proves nothing about its bearer. */
  find(
    subject: string,
    key: string,
    options?: { readRecord?(key: string): Promise<StoredRecord | null> },
  ): Promise<ListedSession | null>
  /** Returns the sessions and the families of refresh tokens of the subject, the last used first. */
  list(subject: string): Promise<readonly ListedSession[]>
  /** Ends one session or family, if it belongs to that subject. `true` for exactly one caller. */
  revoke(subject: string, key: string): Promise<boolean>
  /**
   * Removes every record that the subject owns in the store, one-time links included, and returns how many of them were
   * sessions and families. Raise the account's epoch first: then nothing that was opened before remains valid, also where
   * the store has lost its index of owners and finds nothing to remove.
   */
  revokeAll(subject: string, options?: { readonly except?: string }): Promise<number>
  /** Resolves when no use is waiting to be written, for shutdown and tests. */
  settled(): Promise<void>
}
