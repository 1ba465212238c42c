import { createSession, type IssuedSession, regenerateSession, type SessionInput } from './create-session.ts'
import { findSession, type ListedSession, listSessions } from './listed-session.ts'
import { type PeekSessionOptions, peekSession, type ReadSessionOptions, readSession } from './read-session.ts'
import { renewSession, type SessionRenewal } from './renew-session.ts'
import { revokeAllSessions, revokeSession } from './revoke-session.ts'
import type { Session } from './session.ts'
import { createSessionsContext, type SessionsOptions } from './sessions-context.ts'

/** Sessions on the server: the browser holds an opaque credential, the store a digest of it. */
export interface Sessions {
  /**
   * Creates a session, always under a new key. With `replaces` it serves sign-in, step-up and change of privilege: the
   * new record is stored, then the old one removed.
   *
   * Returns `null` when the old one was revoked in between: the new one is removed too, so that a revocation cannot be
   * outrun. An old one that has merely expired refuses nothing.
   */
  create(input: SessionInput): Promise<IssuedSession | null>
  /** Returns the session of a credential, or `null`. Its use is written to the store later, without delaying the caller. */
  read(credential: string | null, request?: ReadSessionOptions): Promise<Session | null>
  /** Like `read`, without counting as use: for checks that the user did not ask for, which would keep it from idling. */
  peek(credential: string | null, options?: PeekSessionOptions): Promise<Session | null>
  /**
   * Replaces a session of the subject by one with a new credential, keeping device and persistence: `create` with
   * `replaces`, for a caller that knows the key of an established identity. `null`: it has ended.
   */
  regenerate(
    subject: string,
    key: string,
    input: Pick<SessionInput, 'epoch' | 'factors' | 'keepsLineage'>,
  ): Promise<IssuedSession | null>
  /**
   * Moves a session of the subject to a new epoch of its account, when its own holder raised it, and takes proofs from it
   * that count no longer. Its credential stays valid. `false`: it has ended, has a later epoch, or is that of who acts as another
   * account.
   */
  renew(subject: string, key: string, input: SessionRenewal): Promise<boolean>
  /** Returns the session or family of the subject with this key, or `null`. A key proves nothing about its bearer. */
  find(subject: string, key: string, options?: PeekSessionOptions): Promise<ListedSession | null>
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

/**
 * Creates sessions over a record store, with an idle and an overall limit that the server enforces. Requests store
 * nothing in them, so a late request cannot bring a revoked session back.
 *
 * @throws TypeError when an option is unknown or not valid.
 *
 * @example
 * import { createSessions } from '@latchkey/sessions'
 * import { createMemoryRecordStore } from '@latchkey/store'
 * const sessions = createSessions({ records: createMemoryRecordStore() })
 * const issued = await sessions.create({ subject: 'acc_1', factors: [{ kind: 'password', at: Date.now() }] })
 * const session = await sessions.read(issued?.credential ?? null) // what the cookie holds
 */
export function createSessions(options: SessionsOptions): Sessions {
  const context = createSessionsContext(options)
  return {
    create: (input) => createSession(context, input),
    read: (credential, request = {}) => readSession(context, credential, request),
    peek: (credential, peekOptions = {}) => peekSession(context, credential, peekOptions),
    regenerate: (subject, key, input) => regenerateSession(context, { subject, key }, input),
    renew: (subject, key, input) => renewSession(context, { subject, key }, input),
    find: (subject, key, options) => findSession(context.records, { subject, key }, context.now(), options),
    list: (subject) => listSessions(context.records, subject, context.now()),
    revoke: (subject, key) => revokeSession(context, subject, key),
    revokeAll: (subject, revokeOptions) => revokeAllSessions(context, subject, revokeOptions),
    settled: context.touch.settled,
  }
}
