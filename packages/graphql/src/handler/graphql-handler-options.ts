import type { Measurement } from '@latchkey/core'
import type {
  AddressReader,
  ForgeryCheck,
  HttpRequest,
  HttpResponse,
  IdentityReader,
  SessionCookie,
} from '@latchkey/http'
import type { AnyPolicy, Identity } from '@latchkey/rbac'
import type { Access, AuthContext, StepUpHook } from '../access-contract.ts'
import type { AccessEvent } from '../access-event.ts'
import type { TrustedDocuments } from '../documents/trusted-documents.ts'
import type { AccessError } from '../errors.ts'
import type { TraceExecution } from '../execution/trace-execution.ts'
import type { RateLimitHook } from './rate-limit-hook.ts'
import type { RequestIdentity } from './request-identity.ts'

export interface GraphqlHandlerOptions<P extends AnyPolicy> {
  /** From `compileAccess`: the schema and its rules. */
  readonly access: Access<P>
  /** Reads the identity of a request. */
  readonly identify: IdentityReader<Identity>
  /**
   * Reads the identity again if the body took longer than 250 ms to arrive, before the operation is decided. It must
   * not repeat single-use checks, for example of a proof of the key.
   * @default `identify`
   */
  readonly reidentify?: IdentityReader<Identity>
  /**
   * Checks whether a page of another site sent a request. Omitted: mutations over a session cookie and credential
   * fields are refused, because they need this check.
   */
  readonly forgery?: ForgeryCheck
  /** The cookies with which a forged request is always refused. Default: every cookie counts. */
  readonly cookies?: readonly Pick<SessionCookie, 'isSent'>[]
  /**
   * Returns members that the context of resolvers gets in addition to `identity`, `authorize`, `can` and the others.
   */
  readonly context?: (base: AuthContext<P>, request: HttpRequest, requestIdentity: RequestIdentity) => object
  /**
   * Makes the challenge of a step-up: `challenge` and `factors` of `STEP_UP_REQUIRED`, for rules of the schema and for
   * `authorize` in resolvers. It is not called if only the first factor can be presented again. If it throws, the
   * answer is 503. Omitted: `challenge` is the error code of RFC 9470, as in the header.
   */
  readonly stepUp?: StepUpHook
  /**
   * The scopes that third-party clients may request, in the order of `scopes_supported` of the authorization server. A
   * 401, and the 403 of a too narrow grant, then name the scopes that the operation needs, in `extensions.scopes` and
   * in `WWW-Authenticate` (RFC 6750 §3). Omitted: no scope is named.
   */
  readonly publishedScopes?: readonly string[]
  /** Returns an `AccessError` for an error of the application, or `null`, which masks the error. */
  readonly translateError?: (error: unknown) => AccessError | null
  /** Receives events, measurements and executions. */
  readonly observe?: {
    /**
     * Called with refusals, failures and exceeded limits. Default: failures, with their causes, and exceeded limits go to
     * `console.error`.
     */
    readonly onEvent?: (event: AccessEvent) => void
    /**
     * Called with the cost of a request after its response is known. Its errors are ignored. Omitted: requests are not
     * measured.
     */
    readonly onMeasurement?: (measurement: RequestMeasurement, request: HttpRequest) => void
    /**
     * Wraps the execution of each allowed operation, for example `traceExecution` of `@latchkey/telemetry`, and returns
     * the result of `execute`.
     */
    readonly traceExecution?: TraceExecution
    /** Returns the id of a request, for events and measurements. Omitted: they have no id. */
    readonly requestId?: (request: HttpRequest) => string | null
  }
  /** Reads the address of a client, for `rateLimit` and events. Default: the peer of the connection; no proxy is trusted. */
  readonly addresses?: AddressReader
  /**
   * Headers of every response and refusal, unless a resolver queues a header of the same name: for instance
   * `createSecurityHeaders(…).api` of `@latchkey/http`. None by default, because the service around the endpoint may
   * add its own. `X-Content-Type-Options: nosniff` is always sent.
   */
  readonly headers?: HttpResponse['headers']
  /** The limits on the size of a request and its response, and on the time of an operation. */
  readonly requestLimits?: {
    /** The most bytes of a body. @default 100000 */
    readonly bodyBytes?: number
    /** The most bytes of path and query, as sent, with percent-encoding. @default 8192 */
    readonly urlBytes?: number
    /**
     * The most bytes of a response; for a batch, of the whole response. A larger response is refused with
     * `RESPONSE_TOO_LARGE`.
     * @default 10000000
     */
    readonly responseBytes?: number
    /**
     * The most bytes of a response to an operation with only `__schema` and `__type`, if larger than `responseBytes`.
     * @default 50000000
     */
    readonly introspectionBytes?: number
    /**
     * The most milliseconds for an operation after its request was read. Then the response is 503, and the `signal` in
     * the context of its resolvers is aborted. @default 10000
     */
    readonly executionMs?: number
    /**
     * The most operations of a POST as an array, at most 10; `rateLimit` counts each. Omitted: an array is rejected.
     */
    readonly batchSize?: number
  }
  /**
   * Called for every request, after its identity and before its body is read. A refused request is answered with 429.
   * If the hook throws, times out or returns another value, the request is answered with 503. Omitted: there is no
   * limit.
   */
  readonly rateLimit?: RateLimitHook
  /**
   * Documents that clients request by id, in `documentId` or in `extensions.persistedQuery`. They are validated,
   * limited and authorized like any other. Omitted: every document is sent as text.
   */
  readonly trustedDocuments?: {
    /** From `createTrustedDocuments`, or a `Map` of ids and texts. */
    readonly documents: TrustedDocuments
    /** `only` refuses documents that are sent as text; `also` answers them. */
    readonly mode: 'only' | 'also'
    /**
     * How long caches may keep public answers, in seconds. Public answers are to a trusted query by GET, without
     * errors, with only public fields and with neither `Authorization` nor `Cookie`. Their resolvers must read no other
     * part of the request. Omitted: no answer is cached.
     */
    readonly publicMaxAgeSeconds?: number
  }
  /**
   * `compatible` answers a broken document with 200 if the client accepts only `application/json`, as servers always
   * did. `draft-2026` follows the GraphQL-over-HTTP draft of 2026-08-06: 422 for well-formed requests that cannot be
   * executed, 294 for `data` with `errors`. Both refuse access with the same statuses. @default 'compatible'
   */
  readonly statusProfile?: 'compatible' | 'draft-2026'
  /** Returns epoch milliseconds, for events. @default Date.now */
  readonly now?: () => number
}

/** A request was answered. */
export interface RequestMeasurement extends Measurement {
  readonly type: 'request.finished'
  /** The route as in the documentation, for example `/graphql`; `null` if it is unknown. */
  readonly route: string | null
  readonly method: string
  readonly status: number
  /**
   * The type of the operation; `null`: the request has no GraphQL operation, was refused before its document, or was a
   * batch.
   */
  readonly operation: 'query' | 'mutation' | 'subscription' | null
  /** Whether access was refused: the status is 401 or 403. */
  readonly refused: boolean
  readonly requestId: string | null
}
