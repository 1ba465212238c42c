interface Named {
  /** When it happened, epoch milliseconds. */
  readonly at: number
  /** The public key of the session or family: it lets nobody in. */
  readonly key: string
  readonly subject: string
}

/** What happened to a session or a refresh-token family. No event holds a credential, a secret or a digest of one. */
export type SessionsEvent =
  | (Named & { readonly type: 'session-created'; readonly replaced: string | null })
  /** A sign-in over a session that was revoked in the meantime: the new one is gone too. */
  | (Named & { readonly type: 'session-replacement-refused' })
  /** The idle limit could not be moved. The request that caused it was answered all the same. */
  | (Named & { readonly type: 'session-touch-failed'; readonly failure: string })
  | (Named & { readonly type: 'family-issued'; readonly clientId: string })
  /** `replayed`: within the grace window the same successor was given again. */
  | (Named & { readonly type: 'family-refreshed'; readonly clientId: string; readonly replayed: boolean })
  /** An old token of the family was shown: somebody has a copy. The family is gone. Sent once per family. */
  | (Named & { readonly type: 'family-reused'; readonly clientId: string })
  | (Named & { readonly type: 'family-renewed'; readonly epoch: number })
  | { readonly type: 'revoked'; readonly at: number; readonly key: string; readonly subject: string | null }
  | { readonly type: 'all-revoked'; readonly at: number; readonly subject: string; readonly count: number }

/** Tells a listener. What a listener throws is its own affair: it never changes an answer. */
export function tell(onEvent: ((event: SessionsEvent) => void) | undefined, event: SessionsEvent): void {
  try {
    onEvent?.(event)
  } catch {
    // A log that is full must not sign anybody out.
  }
}
