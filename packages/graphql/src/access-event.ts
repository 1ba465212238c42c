import type { LatchkeyEvent } from '@latchkey/core'
import type { AccessErrorCode } from './errors.ts'

/** An event for the operator of a service. Nothing in it is secret, so it can be logged as JSON. */
export type AccessEvent = AccessDeniedEvent | AccessFailedEvent

/** Whose request it was: `accountId` is `null` for a machine, and both are without an identity. */
interface OfRequest extends LatchkeyEvent {
  /** The client of others that the identity was given to, or the machine; `null`: none. */
  readonly clientId: string | null
}

/** A request was refused with 401 or 403. */
export interface AccessDeniedEvent extends OfRequest {
  readonly type: 'access.denied'
  readonly code: AccessErrorCode
  readonly status: 401 | 403
  /** The refused fields as response paths, at most ten. The client chose the aliases in them. */
  readonly paths: readonly string[]
}

/** Something failed whose cause is not sent to the client. */
export interface AccessFailedEvent extends OfRequest {
  readonly type: 'access.failed'
  readonly code: 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  /** The same as in the client's `extensions.id`. */
  readonly id: string
  /** The response path of the field that failed, `null` outside a field. */
  readonly path: string | null
  /**
   * What was thrown, with its stack. Not enumerable: an error may hold queries, parameters and addresses, so neither
   * `JSON.stringify` nor a spread nor `console.log` of the event shows it, and a log gets it only by name.
   */
  readonly cause: unknown
}
