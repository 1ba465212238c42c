import type { LatchkeyEvent } from '@latchkey/core'
import type { FailureFacts } from '@latchkey/core/internal'

interface Named extends LatchkeyEvent {
  readonly accountId: string
  readonly sessionKey: string
}

/** What happened to a session or a family of refresh tokens. No event holds a credential, a secret or a digest of one. */
export type SessionsEvent =
  /** `replaced`: the key of the session that ended with it. */
  | (Named & { readonly type: 'session.created'; readonly replaced: string | null })
  /** A sign-in over a session that was revoked in the meantime: the new one was removed too. */
  | (Named & { readonly type: 'session.replacement-refused' })
  | SessionTouchFailed
  /** The session went on over a new epoch of its account. */
  | (Named & { readonly type: 'session.renewed'; readonly epoch: number })
  | (Named & { readonly type: 'session.ended' })
  | (Named & { readonly type: 'family.created'; readonly clientId: string })
  /** `replayed`: the same successor was returned again, within the grace window. */
  | (Named & { readonly type: 'family.refreshed'; readonly clientId: string; readonly replayed: boolean })
  /** An old token of the family was presented, so a copy of it exists. The family was removed. Emitted once per family. */
  | (Named & { readonly type: 'family.reused'; readonly clientId: string })
  | (Named & { readonly type: 'family.renewed'; readonly epoch: number })
  /** `accountId`: `null` where it was ended by its key alone. */
  | (Omit<Named, 'accountId'> & { readonly type: 'family.ended'; readonly accountId: string | null })
  /** All sessions and families of an account, but for the one that goes on. */
  | (LatchkeyEvent & { readonly type: 'sessions.ended'; readonly accountId: string; readonly count: number })

/** The idle limit could not be extended. The request that used the session was answered all the same. */
export interface SessionTouchFailed extends Named, FailureFacts {
  readonly type: 'session.touch-failed'
}
