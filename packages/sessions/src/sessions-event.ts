interface Named {
  /** When it happened, in epoch milliseconds. */
  readonly at: number
  /** The public key of the session or family; it is no credential. */
  readonly key: string
  readonly subject: string
}

/** What happened to a session or a refresh-token family. No event holds a credential, a secret or a digest of one. */
export type SessionsEvent =
  | (Named & { readonly type: 'session-created'; readonly replaced: string | null })
  /** A sign-in over a session that was revoked in the meantime: the new one was removed too. */
  | (Named & { readonly type: 'session-replacement-refused' })
  /** The idle limit could not be extended. The request that used the session was answered all the same. */
  | (Named & { readonly type: 'session-touch-failed'; readonly failure: string })
  /** The session went on over a new epoch of its account. */
  | (Named & { readonly type: 'session-renewed'; readonly epoch: number })
  | (Named & { readonly type: 'family-issued'; readonly clientId: string })
  /** `replayed`: the same successor was returned again, within the grace window. */
  | (Named & { readonly type: 'family-refreshed'; readonly clientId: string; readonly replayed: boolean })
  /** An old token of the family was presented, so a copy of it exists. The family was removed. Emitted once per family. */
  | (Named & { readonly type: 'family-reused'; readonly clientId: string })
  | (Named & { readonly type: 'family-renewed'; readonly epoch: number })
  | { readonly type: 'revoked'; readonly at: number; readonly key: string; readonly subject: string | null }
  | { readonly type: 'all-revoked'; readonly at: number; readonly subject: string; readonly count: number }

/** Returns the function that calls the listener. What the listener throws never changes an answer. */
export function createEmitter(onEvent: (event: SessionsEvent) => void = () => {}): (event: SessionsEvent) => void {
  return (event) => {
    try {
      onEvent(event)
    } catch {
      // A log that is full must not sign anybody out.
    }
  }
}
