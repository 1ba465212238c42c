import type { ForgeryCheck, HttpRequest } from '@latchkey/http'
import type { ResponseHeaders } from '@latchkey/http/internal'
import type { AnyPolicy, Identity } from '@latchkey/rbac'
import type { ExecutionArgs, ExecutionResult } from 'graphql'
import { createHandler, type OperationArgs, type OperationContext, type RequestParams } from 'graphql-http'
import { LateSignal } from '../access/prepare.ts'
import type { AuthContext, PrepareInput } from '../access-contract.ts'
import { UnknownHashError } from '../documents/choose-document.ts'
import { isIntrospection } from '../documents/root-fields.ts'
import { AccessError } from '../errors.ts'
import { executePrepared } from '../execution/execute-prepared.ts'
import { traceExecutions } from '../execution/trace-execution.ts'
import { mapPromiseOrValue, type PromiseOrValue } from '../promise-or-value.ts'
import { answer, answerRefusal } from '../responses/answer.ts'
import { boundAnswer } from '../responses/bounded-answer.ts'
import { acceptsJson } from '../responses/negotiate-media-type.ts'
import type { Response } from '../responses/response.ts'
import { challengeStepUps, type MakeStepUpChallenge } from '../rules/step-up-error.ts'
import { isRead } from './check-request.ts'
import type { Endpoint } from './endpoint.ts'
import { type Exchange, requestFacts } from './exchange.ts'
import { showErrors } from './presented-errors.ts'
import { isSameForAll } from './public-caching.ts'
import { csrfHeader, isTokenShown, type RequestIdentity, refuseOtherSession } from './request-identity.ts'
import { readParams } from './request-params.ts'

/**
 * Returns a function that takes an operation through its steps in order: the hooks of graphql-http. A step refuses by
 * returning a response or by throwing. The function never rejects.
 */
export function createOperationSteps(endpoint: Endpoint): (exchange: Exchange) => Promise<Response> {
  const steps = createHandler<HttpRequest, Exchange, OperationContext>({
    // The document and its parameters.
    parseRequestParams: ({ context }) => readParameters(context, endpoint),
    // The decision: document, limits, plan, variables, cost, rules, owners.
    onSubscribe: ({ context }, params) => prepareOperation(params, context, endpoint),
    execute: traceExecutions(executeInTime, endpoint.traceExecution, isTrusted),
    // The answer: status, errors, headers.
    onOperation: ({ context }, args, result) => answerResult(result, args, context, endpoint),
  })
  return (exchange) => {
    const { request: raw, mediaType: accept } = exchange
    const method = isRead(raw) ? 'GET' : raw.method
    const { target: url } = raw
    const answered = steps({ method, url, headers: { accept }, body: null, raw, context: exchange })
    return answered.catch((error) => endpoint.answerThrown(error, exchange))
  }
}

/** Answers errors itself, because graphql-http would send their messages. */
function readParameters(exchange: Exchange, endpoint: Endpoint): RequestParams | Response {
  try {
    const { params, isTrusted } = readParams(exchange.request, exchange.body, endpoint.trustedDocuments)
    exchange.isTrusted = isTrusted
    exchange.operationName = params.operationName ?? null
    return params
  } catch (error) {
    const accept = exchange.request.headers.get('accept') ?? null
    if (error instanceof UnknownHashError && acceptsJson(accept)) exchange.mediaType = 'application/json'
    return endpoint.answerThrown(error, exchange)
  }
}

type PreparedExecution = OperationArgs<OperationContext> & { readonly exchange: Exchange }

async function prepareOperation(
  params: RequestParams,
  exchange: Exchange,
  endpoint: Endpoint,
): Promise<PreparedExecution | Response> {
  refuseOtherSession(exchange, endpoint.forgery)
  const verdict = await inTime(exchange, () => endpoint.access.prepare(params, prepareInput(exchange, endpoint)))
  exchange.plan = verdict.plan
  endpoint.reportExceeded(exchange, verdict.exceeded)
  if (!verdict.ok) return endpoint.finish(answerRefusal(verdict.errors, requestFacts(exchange)), exchange)
  refuseSubscription(verdict.plan)
  const contextValue = verdict.args.contextValue as OperationContext & AuthContext
  exchange.context = contextValue
  return Object.assign(verdict.args, { exchange, contextValue })
}

function executeInTime(args: ExecutionArgs): Promise<ExecutionResult> | ExecutionResult {
  const { exchange } = args as PreparedExecution
  return inTime(exchange, () => executePrepared(args, (abort) => exchange.deadline?.onOver(abort)))
}

function isTrusted(args: ExecutionArgs): boolean {
  return (args as PreparedExecution).exchange.isTrusted
}

function answerResult(
  result: ExecutionResult,
  args: ExecutionArgs,
  exchange: Exchange,
  endpoint: Endpoint,
): PromiseOrValue<Response> {
  if (isSameForAll(exchange, result)) {
    exchange.publicMaxAgeSeconds = endpoint.trustedDocuments?.publicMaxAgeSeconds ?? null
  }
  const { errors = [] } = result
  const makeChallenge = stepUpOf(exchange, endpoint)
  // A success is answered even after the deadline.
  const challenged = errors.length === 0 ? errors : inTime(exchange, () => challengeStepUps(errors, makeChallenge))
  return mapPromiseOrValue(challenged, (all) => {
    const shown = showErrors(all, endpoint.presentedErrors(exchange))
    const facts = requestFacts(exchange)
    const { responseBytes, introspectionBytes } = endpoint.requestLimits
    const limitBytes = exchange.responseBytesLeft ?? responseBytes
    const longerBytes = () => (exchange.responseBytesLeft === null && isIntrospection(args) ? introspectionBytes : null)
    const { operation = 'query' } = exchange.plan ?? {}
    const given = answer(result, shown, { args, plan: exchange.plan }, facts)
    return endpoint.finish(boundAnswer(given, facts, { limitBytes, longerBytes, operation }), exchange)
  })
}

/** The deadline starts after the request was read. */
function inTime<T>({ deadline }: Exchange, work: () => Promise<T> | T): Promise<T> | T {
  return deadline ? deadline.race(work) : work()
}

function prepareInput(exchange: Exchange, endpoint: Endpoint): PrepareInput<AnyPolicy> {
  const { requestIdentity } = exchange
  if (!requestIdentity) return { identity: null }
  return new HandledInput(exchange, endpoint, requestIdentity)
}

class HandledInput extends LateSignal implements PrepareInput<AnyPolicy> {
  readonly identity: Identity | null
  readonly credential: 'bearer' | 'cookie' | null
  readonly forged: boolean
  readonly batched: boolean
  readonly response: ResponseHeaders
  readonly method: 'GET' | 'POST'
  readonly stepUp: MakeStepUpChallenge | undefined
  readonly publishedScopes: readonly string[] | undefined
  readonly extend?: (base: AuthContext) => object
  readonly #exchange: Exchange
  readonly #forgery: ForgeryCheck | undefined

  constructor(exchange: Exchange, endpoint: Endpoint, requestIdentity: RequestIdentity) {
    super()
    const { context, forgery } = endpoint
    const { request } = exchange
    this.identity = requestIdentity.identity
    this.credential = requestIdentity.credential
    this.forged = requestIdentity.forged
    this.batched = exchange.isBatched
    this.response = exchange.queued
    this.method = isRead(request) ? 'GET' : 'POST'
    this.stepUp = stepUpOf(exchange, endpoint)
    this.publishedScopes = endpoint.publishedScopes
    this.#exchange = exchange
    this.#forgery = forgery
    if (!context) return
    const extend = (base: AuthContext): object => context(base, request, requestIdentity)
    this.extend = extend
  }

  csrf(): boolean {
    const { headers } = this.#exchange.request
    return isTokenShown(headers.get(csrfHeader), this, {
      forgery: this.#forgery,
      offer: (token) => this.response.setHeader(csrfHeader, token),
    })
  }

  override get signal(): AbortSignal | undefined {
    return this.#exchange.deadline?.signal()
  }
}

function stepUpOf({ request }: Exchange, { stepUp }: Endpoint): MakeStepUpChallenge | undefined {
  return stepUp && ((identity, need) => stepUp(identity, need, request))
}

/** @throws AccessError `OPERATION_RESOLUTION_FAILURE` for a subscription. */
export function refuseSubscription({ operation }: { readonly operation: string }): void {
  if (operation !== 'subscription') return
  throw new AccessError('OPERATION_RESOLUTION_FAILURE', {
    message: 'Subscriptions must be sent over server-sent events or a WebSocket.',
  })
}
