import type { AccessErrorCode } from '../errors.ts'

/**
 * Why the service ends a stream:
 * - `signed-out`: the identity is no longer one: revoked, signed out, disabled.
 * - `expired`: its token or session has reached its end.
 * - `changed`: it is somebody's still, but not with the same roles, scopes or epoch.
 * - `unavailable`: for too long nobody could tell whose it is.
 * - `closing`: the service shuts down.
 * - `slow`: the client does not take what is sent.
 */
export type StreamEnd = 'signed-out' | 'expired' | 'changed' | 'unavailable' | 'closing' | 'slow'

/** What a client is told about the end of its streams. */
export interface EndNotice {
  readonly code: AccessErrorCode
  readonly message: string
  /** How a WebSocket is closed. Clients of graphql-ws come back by themselves after all of these but 4401. */
  readonly socketCode: 1001 | 1013 | 4401 | 4403
  /** Nothing but a new sign-in helps, so nobody should come back by themselves. */
  readonly isFinal: boolean
}

const signIn = { code: 'UNAUTHENTICATED', socketCode: 4401, isFinal: true } as const
const comeBack = { code: 'SERVICE_UNAVAILABLE', isFinal: false } as const

export const endNotices: Readonly<Record<StreamEnd, EndNotice>> = {
  'signed-out': { ...signIn, message: 'You are no longer signed in.' },
  expired: { ...signIn, message: 'The sign-in has expired.' },
  changed: {
    code: 'FORBIDDEN',
    message: 'What you may do has changed: subscribe again.',
    socketCode: 4403,
    isFinal: false,
  },
  unavailable: { ...comeBack, message: 'It could not be checked who you are: subscribe again.', socketCode: 1013 },
  closing: { ...comeBack, message: 'The service is shutting down: subscribe again.', socketCode: 1001 },
  slow: { ...comeBack, message: 'The events were not taken fast enough: subscribe again.', socketCode: 1013 },
}

/** Interrupts whatever a stream waits for. */
export class StreamEndedError extends Error {
  override readonly name = 'StreamEndedError'
  readonly end: StreamEnd

  constructor(end: StreamEnd) {
    super(endNotices[end].message)
    this.end = end
  }
}
