import type { HttpResponse } from '@latchkey/http'
import type { AnyPolicy } from '@latchkey/rbac'
import { loadLeanExecutor } from '../execution/lean-executor.ts'
import type { TraceExecution } from '../execution/trace-execution.ts'
import { type Answer, answerRefusal, respond } from '../responses/answer.ts'
import type { Response } from '../responses/response.ts'
import { type EndpointSettings, readEndpointOptions } from './endpoint-options.ts'
import { type Exchange, requestFacts } from './exchange.ts'
import { readFixedHeaders } from './fixed-headers.ts'
import type { GraphqlHandlerOptions } from './graphql-handler-options.ts'
import { type PresentedErrorsOptions, showThrown } from './presented-errors.ts'
import { createRateCheck, type RateCheck } from './rate-limit-hook.ts'
import { createReporter, type Reporter } from './reporter.ts'
import { createRequestMeter, type RequestMeter } from './request-meter.ts'

/**
 * The context of the steps of a handler: its options with their defaults, and objects that are created once from them.
 */
export interface Endpoint
  extends EndpointSettings,
    Pick<GraphqlHandlerOptions<AnyPolicy>, 'access' | 'forgery' | 'context' | 'stepUp' | 'publishedScopes'> {
  readonly traceExecution: TraceExecution | undefined
  /** `null`: no rate limit. */
  readonly checkRate: RateCheck | null
  /** `null`: measurements are off. */
  readonly measure: RequestMeter | null
  /** The headers of every response. */
  readonly headers: HttpResponse['headers']
  /** Returns the options that show errors to the client of an exchange. */
  presentedErrors(exchange: Exchange): PresentedErrorsOptions
  /** Reports limits that a request has exceeded. */
  readonly reportExceeded: Reporter['exceeded']
  /** Reports an answer and writes it. */
  finish(answer: Answer, exchange: Exchange): Response
  /** Reports and writes the refusal for a thrown error. */
  answerThrown(error: unknown, exchange: Exchange): Response
}

/** @throws TypeError naming the option that is not valid. */
export function openEndpoint(options: GraphqlHandlerOptions<AnyPolicy>): Endpoint {
  const {
    access,
    forgery,
    context,
    stepUp,
    publishedScopes,
    observe = {},
    addresses,
    translateError = () => null,
  } = options
  const settings = readEndpointOptions(options)
  const { rateLimit, requestLimits } = settings
  const reporter = createReporter({ ...options, requestLimits })
  // Until it is loaded, and if it cannot be loaded, `execute` of `graphql` executes.
  void loadLeanExecutor()
  const presentedErrors = (exchange: Exchange): PresentedErrorsOptions => ({
    errors: access.errors,
    translateError,
    report: (...failure) => reporter.failed(exchange, ...failure),
  })
  const finish = (answer: Answer, exchange: Exchange): Response => {
    reporter.answered(answer, exchange)
    return respond(answer, exchange)
  }
  return {
    ...settings,
    access,
    ...(forgery && { forgery }),
    ...(context && { context }),
    ...(stepUp && { stepUp }),
    ...(publishedScopes && { publishedScopes }),
    traceExecution: observe.traceExecution,
    headers: readFixedHeaders(options.headers),
    measure: createRequestMeter(observe),
    checkRate: createRateCheck({ rateLimit, addresses, timeoutMs: requestLimits.executionMs }),
    presentedErrors,
    reportExceeded: reporter.exceeded,
    finish,
    answerThrown: (error, exchange) =>
      finish(answerRefusal([showThrown(error, presentedErrors(exchange))], requestFacts(exchange)), exchange),
  }
}
