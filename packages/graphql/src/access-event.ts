import type { LatchkeyEvent } from '@latchkey/core'
import type { OperationVerdict } from './access-contract.ts'
import type { AccessErrorCode } from './errors.ts'

/**
 * An event for the operator of a service. It has no secrets, so it can be logged as JSON. `accountId` is `null` for a
 * machine and for a request without an identity.
 */
export type AccessEvent = LatchkeyEvent & {
  /** The third-party client of the grant, or the machine; `null`: neither. */
  readonly clientId: string | null
} & (
    | {
        /** A request was rejected with 401 or 403. */
        readonly type: 'access.denied'
        readonly code: AccessErrorCode
        readonly status: 401 | 403
        /** The rejected fields as response paths, at most ten. The client chose the aliases in them. */
        readonly paths: readonly string[]
        /** The scopes in the refusal; may be empty. */
        readonly scopes: readonly string[]
      }
    | {
        /**
         * A request was over a limit. Reported once an hour for each client, operation name and limit, and at most ten
         * times an hour for a client. Of the clients that share a name and a limit, the first ten are reported, then
         * the 20th, the 40th, the 80th and so on. Accounts, OAuth clients and addresses are counted separately, so that
         * one kind does not hide another.
         */
        readonly type: 'limit.exceeded'
        readonly code:
          | OperationVerdict['exceeded'][number]['code']
          | 'PAYLOAD_TOO_LARGE'
          | 'URI_TOO_LONG'
          | 'RESPONSE_TOO_LARGE'
        /** Its name: an option of `limits` of `compileAccess`, or of `requestLimits`. */
        readonly limit:
          | OperationVerdict['exceeded'][number]['limit']
          | 'bodyBytes'
          | 'urlBytes'
          | 'responseBytes'
          | 'batchSize'
        /** The count in the request; `null` if counting stopped at the limit. */
        readonly value: number | null
        /** The allowed maximum. */
        readonly allowed: number
        /** Chosen by the client. */
        readonly operationName: string | null
        /** `null` if the cost was not computed. */
        readonly cost: number | null
        /** `false` if `report` is set and the limit did not refuse the operation. */
        readonly refused: boolean
      }
    | {
        /** A failure whose cause is not sent to the client. */
        readonly type: 'access.failed'
        readonly code: 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
        /** The same id as in the client's `extensions.id`. */
        readonly id: string
        /** The response path of the failed field, `null` outside a field. */
        readonly path: string | null
        /**
         * The thrown value, with its stack. An error may hold queries, parameters and addresses, so the property is not
         * enumerable: `JSON.stringify`, spreads and `console.log` omit it, and a log must read it by name.
         */
        readonly cause: unknown
      }
  )
