import type { LatchkeyEvent } from '@latchkey/core'
import type { AccessErrorCode } from './errors.ts'

/**
 * An event for the operator of a service. Nothing in it is secret, so it can be logged as JSON. `accountId` is `null` for a
 * machine and without an identity.
 */
export type AccessEvent = LatchkeyEvent & {
  /** The client of others that the identity was given to, or the machine; `null`: none. */
  readonly clientId: string | null
} & (
    | {
        /** A request was rejected with 401 or 403. */
        readonly type: 'access.denied'
        readonly code: AccessErrorCode
        readonly status: 401 | 403
        /** The rejected fields as response paths, at most ten. The client chose the aliases in them. */
        readonly paths: readonly string[]
      }
    | {
        /** Something failed whose cause is not sent to the client. */
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
  )
