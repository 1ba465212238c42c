import { checkOptionNames } from '@latchkey/core/internal'
import type { AddressReader, ForgeryCheck, HttpReply, HttpRequest, IdentityReader, SessionCookie } from '@latchkey/http'
import type { AnyPolicy, Identity } from '@latchkey/rbac'
import type { AuthContext } from '../access/auth-context.ts'
import type { Access } from '../access/compile-access.ts'
import type { AccessEvent } from '../access-event.ts'
import type { AccessError } from '../errors.ts'
import type { TraceExecution } from '../execution/trace-execution.ts'
import type { StepUpNeed } from '../rules/step-up.ts'
import type { StepUpChallenge } from '../rules/step-up-error.ts'
import { type EndpointOptions, endpointOptionNames } from './endpoint-options.ts'
import type { RequestIdentity } from './request-identity.ts'
import type { OnRequestMeasured } from './request-meter.ts'

/** Makes the challenge of a step-up for an account. */
export type StepUpHook = (identity: Identity, need: StepUpNeed, request: HttpRequest) => Promise<StepUpChallenge>

export interface GraphqlHandlerOptions<P extends AnyPolicy> extends EndpointOptions {
  /** From `compileAccess`: the schema and its rules. */
  readonly access: Access<P>
  /** Reads the identity of a request. */
  readonly identify: IdentityReader<Identity>
  /**
   * Reads the identity again if the body took longer than 250 ms to arrive, before anything is decided: without what a
   * request may do only once, such as presenting a proof of its key.
   * @default `identify`
   */
  readonly reidentify?: IdentityReader<Identity>
  /**
   * Checks whether a page of another site sent a request. Omitted: what needs that check is refused, which is mutations
   * over a session cookie, and credential fields.
   */
  readonly forgery?: ForgeryCheck
  /** The cookies with which a forged request is always refused. Default: every cookie counts. */
  readonly cookies?: readonly Pick<SessionCookie, 'isSent'>[]
  /** Returns what resolvers have in their context beside `identity`, `authorize`, `can` and the others. */
  readonly context?: (base: AuthContext<P>, request: HttpRequest, requestIdentity: RequestIdentity) => object
  /**
   * Makes the challenge that answers a step-up, of which `STEP_UP_REQUIRED` has `challenge` and `factors`: for a rule of the
   * schema and for `authorize` in a resolver. It is not called where only the first factor can be shown again. While its
   * store fails the answer is 503. Omitted: `challenge` is the error code of RFC 9470, as in the header.
   */
  readonly stepUp?: StepUpHook
  /** Returns the `AccessError` for an error of the application. An error for which it returns `null` is masked. */
  readonly translateError?: (error: unknown) => AccessError | null
  /** Receives events, measurements and executions. */
  readonly observe?: {
    /** Called with refusals and failures. Default: failures go to `console.error`, with their causes. */
    readonly onEvent?: (event: AccessEvent) => void
    /** Called with what a request cost once its response is known. Omitted: nothing is measured. */
    readonly onMeasurement?: OnRequestMeasured
    /**
     * Wraps the execution of each operation that is allowed, as `traceExecution` of `@latchkey/telemetry` does, and
     * returns what `execute` returns.
     */
    readonly traceExecution?: TraceExecution
    /** Returns the id of a request, for events and measurements. Omitted: they have none. */
    readonly requestId?: (request: HttpRequest) => string | null
  }
  /** Reads the address of a client, for `rateLimit` and events. Default: the peer of the connection; no proxy is trusted. */
  readonly addresses?: AddressReader
  /**
   * Headers of every reply, a refusal too, unless a resolver queues another one of the name: for instance
   * `createSecurityHeaders(…).api` of `@latchkey/http`. The default is none, because the service around the endpoint may
   * add its own; `X-Content-Type-Options: nosniff` is always sent.
   */
  readonly headers?: HttpReply['headers']
  /** Returns epoch milliseconds, for events. @default Date.now */
  readonly now?: () => number
}

const optionNames = {
  ...endpointOptionNames,
  access: true,
  identify: true,
  reidentify: true,
  forgery: true,
  cookies: true,
  context: true,
  stepUp: true,
  translateError: true,
  observe: true,
  addresses: true,
  headers: true,
  now: true,
} as const

/** @throws TypeError naming the option that cannot be used. */
export function checkHandlerOptions(options: GraphqlHandlerOptions<AnyPolicy>): void {
  checkOptionNames('createGraphqlHandler', options, optionNames)
  if (typeof options.access?.prepare !== 'function') throw new TypeError('"access" must come from compileAccess')
  checkFunctions({ stepUp: options.stepUp })
  checkObserve(options.observe)
  const { identify, reidentify = identify } = options
  for (const [name, reader] of Object.entries({ identify, reidentify })) {
    if (typeof reader?.read !== 'function') throw new TypeError(`"${name}" must be an IdentityReader`)
  }
}

/** @throws TypeError naming the member of `observe` that cannot be used. */
export function checkObserve(given: GraphqlHandlerOptions<AnyPolicy>['observe'] = {}): void {
  const { onEvent, onMeasurement, traceExecution, requestId } = checkOptionNames('"observe"', given, observeNames)
  checkFunctions({
    'observe.onEvent': onEvent,
    'observe.onMeasurement': onMeasurement,
    'observe.traceExecution': traceExecution,
    'observe.requestId': requestId,
  })
}

const observeNames = { onEvent: true, onMeasurement: true, traceExecution: true, requestId: true } as const

function checkFunctions(given: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined && typeof value !== 'function') {
      throw new TypeError(`"${name}" must be a function or omitted`)
    }
  }
}
