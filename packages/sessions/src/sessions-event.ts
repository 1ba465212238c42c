import type { LatchkeyEvent } from '@latchkey/core'
import type { FailureFacts } from '@latchkey/core/internal'

/**
 * A decision about a session or a family of refresh tokens. No event holds a credential, a secret or a digest of a
 * secret.
 */
export type SessionsEvent = LatchkeyEvent &
  (
    | ({ readonly accountId: string; readonly sessionKey: string } & (
        | {
            readonly type: 'session.created'
            /** The key of the replaced session. */
            readonly replaced: string | null
          }
        /** A sign-in over a session that was revoked in the meantime: the new one was removed too. */
        | { readonly type: 'session.replacement-refused' }
        /** The idle limit could not be extended. The response to the request that used the session is unchanged. */
        | ({ readonly type: 'session.touch-failed' } & FailureFacts)
        /** The session continues over a new epoch of its account. */
        | { readonly type: 'session.renewed'; readonly epoch: number }
        | { readonly type: 'session.ended' }
        | { readonly type: 'family.created'; readonly clientId: string }
        | {
            readonly type: 'family.refreshed'
            readonly clientId: string
            /** Whether the same successor was returned again, within the grace window. */
            readonly replayed: boolean
          }
        /** An old token of the family was presented, so a copy of it exists. The family was removed. Emitted once per family. */
        | { readonly type: 'family.reused'; readonly clientId: string }
        | { readonly type: 'family.renewed'; readonly epoch: number }
      ))
    /** `accountId` is `null` if the family was revoked by its key alone. */
    | { readonly type: 'family.ended'; readonly accountId: string | null; readonly sessionKey: string }
    /** All sessions and families of an account, except the current session. */
    | { readonly type: 'sessions.ended'; readonly accountId: string; readonly count: number }
  )
