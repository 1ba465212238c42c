import type { AccessErrorCode } from '../errors.ts'

/** An event for the operator of a service. Nothing in it is secret, so it can be logged as JSON. */
export type AccessEvent = AccessDeniedEvent | AccessFailedEvent

/** A request was refused with 401 or 403. */
export interface AccessDeniedEvent {
  readonly type: 'access.denied'
  /** Epoch milliseconds. */
  readonly at: number
  readonly code: AccessErrorCode
  readonly status: 401 | 403
  /** The subject that was refused, `null` without an identity. */
  readonly subject: string | null
  /** The refused fields as response paths, at most ten. The client chose the aliases in them. */
  readonly paths: readonly string[]
}

/** Something failed whose cause is not sent to the client. */
export interface AccessFailedEvent {
  readonly type: 'access.failed'
  /** Epoch milliseconds. */
  readonly at: number
  readonly code: 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  /** The same as in the client's `extensions.id`. */
  readonly id: string
  readonly subject: string | null
  /** The response path of the field that failed, `null` outside a field. */
  readonly path: string | null
  /**
   * What was thrown, with its stack. Not enumerable: an error may hold queries, parameters and addresses, so neither
   * `JSON.stringify` nor a spread nor `console.log` of the event shows it, and a log gets it only by name.
   */
  readonly cause: unknown
}

/** Returns the event with a `cause` that is not enumerable. */
export function createFailedEvent(event: AccessFailedEvent): AccessFailedEvent {
  return Object.defineProperty({ ...event }, 'cause', { enumerable: false })
}

/**
 * The listener where none is given. Refusals are ordinary and not printed; a failure would be lost, and its id would lead
 * nowhere.
 */
export function printFailure(event: AccessEvent): void {
  if (event.type !== 'access.failed') return
  // biome-ignore lint/suspicious/noConsole: the last resort of a service that has no listener.
  console.error(`@latchkey/graphql: ${event.code} ${event.id}`, event.cause)
}
