import type { AccessErrorCode } from '../errors.ts'

/**
 * The reason for which the service stops a stream:
 * - `signed-out`: the credential has no identity: it was revoked, signed out or disabled.
 * - `expired`: the token or session has expired.
 * - `renewed`: the session continues, and its client has another credential or can request a new credential.
 * - `changed`: the identity has other roles or scopes.
 * - `unavailable`: the identity could not be checked for too long.
 * - `closing`: the service shuts down.
 * - `slow`: the client does not read the events.
 */
export type StreamEnd = 'signed-out' | 'expired' | 'renewed' | 'changed' | 'unavailable' | 'closing' | 'slow'

/** The last message to a client when its streams stop. */
export interface EndNotice {
  readonly code: AccessErrorCode
  readonly message: string
  /** The close code of a WebSocket. Clients of graphql-ws reconnect after all of these but 4401. */
  readonly socketCode: 1001 | 1013 | 4401 | 4403
  /** Whether only a new sign-in helps: clients should not reconnect. */
  readonly isFinal: boolean
}

const signIn = { code: 'UNAUTHENTICATED', socketCode: 4401, isFinal: true } as const
const reconnect = { code: 'SERVICE_UNAVAILABLE', isFinal: false } as const

export const endNotices: Readonly<Record<StreamEnd, EndNotice>> = {
  'signed-out': { ...signIn, message: 'You are no longer signed in. Sign in and subscribe again.' },
  expired: { ...signIn, message: 'Your sign-in has expired. Sign in and subscribe again.' },
  renewed: {
    code: 'UNAUTHENTICATED',
    message: 'Your credential was renewed or has expired. Subscribe again with the current one.',
    socketCode: 4403,
    isFinal: false,
  },
  changed: {
    code: 'FORBIDDEN',
    message: 'Your permissions have changed. Subscribe again.',
    socketCode: 4403,
    isFinal: false,
  },
  unavailable: { ...reconnect, message: 'Your sign-in could not be verified. Subscribe again.', socketCode: 1013 },
  closing: { ...reconnect, message: 'The service is shutting down. Subscribe again.', socketCode: 1001 },
  slow: { ...reconnect, message: 'The events were not read fast enough. Subscribe again.', socketCode: 1013 },
}

/** Interrupts a stream that the service stops. */
export class StreamEndedError extends Error {
  override readonly name = 'StreamEndedError'
  readonly end: StreamEnd

  constructor(end: StreamEnd) {
    super(endNotices[end].message)
    this.end = end
  }
}
