import {
  type AddressReader,
  createHttpHandler,
  type ForgeryCheck,
  type HttpHandler,
  type HttpReply,
  type HttpRequest,
  type IdentityReader,
  type SessionCookie,
} from '@latchkey/http'
import { checkOptionNames } from '@latchkey/options'
import type { AnyPolicy, Identity } from '@latchkey/rbac'
import { execute as executeOperation } from 'graphql'
import { createHandler, type OperationContext, type Response } from 'graphql-http'
import type { AuthContext } from '../access/auth-context.ts'
import type { Access } from '../access/compile-access.ts'
import type { PrepareInput } from '../access/prepare.ts'
import { AccessError } from '../errors.ts'
import { type Answer, answer, refuse, respond } from '../responses/answer.ts'
import type { AccessEvent } from './access-event.ts'
import { answerBatch } from './batch.ts'
import { checkRequest } from './check-request.ts'
import { startDeadline } from './deadline.ts'
import { type EndpointOptions, endpointOptionNames, readEndpointOptions } from './endpoint-options.ts'
import { createEstablisher, type Established, refuseForged } from './established.ts'
import { askedOf, createExchange, type Exchange } from './exchange.ts'
import { isForEverybody } from './public-caching.ts'
import { createRateCheck } from './rate-limit-hook.ts'
import { createReporter } from './reporter.ts'
import { readBody, readParams } from './request-params.ts'
import { type ShownErrorsOptions, showErrors, showThrown } from './shown-errors.ts'
import { toReply } from './to-reply.ts'

export interface GraphqlHandlerOptions<P extends AnyPolicy> extends EndpointOptions {
  /** What `compileAccess` gave: the schema and its rules. */
  readonly access: Access<P>
  /** Tells who sent a request. */
  readonly identify: IdentityReader<Identity>
  /**
   * Tells whether a page of somebody else sent a request. Without it whatever needs the proof is refused: mutations over
   * a session cookie, and credential fields.
   */
  readonly forgery?: ForgeryCheck
  /** The cookies with which a forged request is refused altogether. Default: any cookie might be one. */
  readonly cookies?: readonly Pick<SessionCookie, 'isSent'>[]
  /** Gives what resolvers find in their context beside `identity`, `authorize`, `can` and the others. */
  readonly context?: (base: AuthContext<P>, request: HttpRequest, established: Established<Identity>) => object
  /** Gives the refusal that an error of the application stands for. What is `null` and thrown is masked. */
  readonly translateError?: (error: unknown) => AccessError | null
  /** Is given refusals and failures. Default: failures go to `console.error`. */
  readonly onEvent?: (event: AccessEvent) => void
  /** Tells the address of a client to `rateLimit`. Default: the other end of the connection; no proxy is believed. */
  readonly addresses?: AddressReader
  /** Epoch milliseconds, for events. Default `Date.now`. */
  readonly now?: () => number
}

/** Answers GraphQL over HTTP. */
export interface GraphqlHandler extends HttpHandler {
  /**
   * As `handle`, for a server that establishes the identity in stages of its own. They are asked once the request is
   * known to be well-formed, and what they throw is answered like what a resolver throws.
   */
  answer(request: HttpRequest, establish: (request: HttpRequest) => Promise<Established<Identity>>): Promise<HttpReply>
}

/**
 * Gives the handler of a GraphQL endpoint: every status, header and body that the table of the README has, decided
 * before anything executes wherever that is possible (GraphQL over HTTP; RFC 9110 §15.5; RFC 6750 §3; RFC 9470).
 *
 * It answers whatever path it is mounted at. Nothing it answers may be kept by a cache, but for what
 * `trustedDocuments.publicMaxAgeSeconds` allows.
 *
 * @throws TypeError naming the option that cannot be used.
 *
 * @example
 * import { compileAccess, createGraphqlHandler } from '@latchkey/graphql'
 * import { createIdentityReader } from '@latchkey/http'
 * import { definePolicy } from '@latchkey/rbac'
 * import { buildSchema } from 'graphql'
 * const policy = definePolicy({ permissions: ['notes:read'], roles: { READER: { permissions: ['notes:read'] } } })
 * const findTokenOwner = async (token: string) => (token === 'secret' ? { subject: 'acc_1', roles: ['READER'] } : null)
 * const handler = createGraphqlHandler({
 *   access: compileAccess({
 *     schema: buildSchema('type Query { hello: String }'),
 *     policy,
 *     rules: { 'Query.hello': 'public' },
 *   }),
 *   identify: createIdentityReader({ bearer: { verify: async (token) => policy.identify(await findTokenOwner(token)) } }),
 * })
 * await handler.fetch(new Request('https://example.com/graphql?query={hello}'))
 */
export function createGraphqlHandler<P extends AnyPolicy>(options: GraphqlHandlerOptions<P>): GraphqlHandler {
  checkOptions(options)
  const { access, translateError = () => null } = options
  const endpoint = readEndpointOptions(options)
  const establish = createEstablisher(options)
  const { executionTimeoutMs: timeoutMs, rateLimit, trustedDocuments } = endpoint
  const checkRate = createRateCheck({ rateLimit, addresses: options.addresses, timeoutMs })
  const reporter = createReporter(options)

  const shownOptions = (exchange: Exchange): ShownErrorsOptions => ({
    translateError,
    report: (...failure) => reporter.failed(exchange, ...failure),
  })
  const finish = (exchange: Exchange, answer: Answer): Response => {
    reporter.answered(answer, exchange)
    return respond(answer, exchange)
  }
  const refuseThrown = (exchange: Exchange, error: unknown): Response =>
    finish(exchange, refuse([showThrown(error, shownOptions(exchange))], askedOf(exchange)))

  const execute = createHandler<HttpRequest, Exchange, OperationContext>({
    parseRequestParams({ raw, context: exchange }) {
      try {
        const { params, isTrusted } = readParams(raw, exchange.body, trustedDocuments)
        exchange.isTrusted = isTrusted
        return params
      } catch (error) {
        return refuseThrown(exchange, error)
      }
    },
    async onSubscribe({ context: exchange }, params) {
      const prepare = () => access.prepare(params, prepareInput(exchange, options))
      const verdict = await inTime(exchange, prepare)
      exchange.plan = verdict.plan
      if (!verdict.ok) return finish(exchange, refuse(verdict.errors, askedOf(exchange)))
      refuseSubscription(verdict.plan)
      return Object.assign(verdict.args, { exchange, contextValue: verdict.args.contextValue as OperationContext })
    },
    execute(args) {
      const { exchange } = args as typeof args & { readonly exchange: Exchange }
      return inTime(exchange, () => executeOperation(args))
    },
    onOperation({ context: exchange }, args, result) {
      if (isForEverybody(exchange, result)) exchange.publicMaxAgeSeconds = trustedDocuments?.publicMaxAgeSeconds ?? null
      const shown = result.errors ? showErrors(result.errors, shownOptions(exchange)) : []
      return finish(exchange, answer(result, shown, { args, plan: exchange.plan }, askedOf(exchange)))
    },
  })

  const answerOne = (exchange: Exchange): Promise<Response> => {
    const { request: raw, mediaType: accept } = exchange
    const { method, target: url } = raw
    const executing = execute({ method, url, headers: { accept }, body: null, raw, context: exchange })
    return executing.catch((error) => refuseThrown(exchange, error))
  }
  const count = async ({ request, established }: Exchange): Promise<void> => {
    if (established) await checkRate?.(request, established)
  }
  async function pass(exchange: Exchange, find: Find): Promise<Response> {
    const { request } = exchange
    checkRequest(exchange, endpoint.urlLimitBytes)
    exchange.established = await find(request)
    refuseForged(exchange.established)
    await count(exchange)
    exchange.body = await readBody(request, endpoint.bodyLimitBytes)
    exchange.isBodyRead = true
    exchange.deadline = startDeadline(timeoutMs, () => request.signal)
    const limit = endpoint.batchLimit
    return limit !== undefined && Array.isArray(exchange.body)
      ? answerBatch(exchange, exchange.body, { limit, count, answerOne })
      : answerOne(exchange)
  }
  const run = async (request: HttpRequest, find: Find): Promise<HttpReply> => {
    const exchange = createExchange(request, endpoint.statusProfile)
    const response = await pass(exchange, find).catch((error) => refuseThrown(exchange, error))
    exchange.deadline?.end()
    return toReply(response, exchange)
  }
  return {
    ...createHttpHandler((request) => run(request, establish)),
    answer: run,
  }
}

/** Before the request is read there is no deadline: what takes time until then is the client. */
function inTime<T>({ deadline }: Exchange, work: () => Promise<T> | T): Promise<T> | T {
  return deadline ? deadline.race(work) : work()
}

type Find = (request: HttpRequest) => Promise<Established<Identity>>

function prepareInput<P extends AnyPolicy>(
  { request, established, deadline, isBatched }: Exchange,
  { context, forgery }: GraphqlHandlerOptions<P>,
): PrepareInput<P> {
  if (!established) return { identity: null }
  const { reading, forged, reply } = established
  const { identity, credential } = reading
  return {
    identity,
    credential,
    forged,
    batched: isBatched,
    reply,
    method: request.method === 'GET' ? 'GET' : 'POST',
    csrf: () => isTokenShown(request, identity, forgery),
    signal: deadline?.signal(),
    ...(context && { extend: (base: AuthContext<P>) => context(base, request, established) }),
  }
}

/** An identity without a session key, and a handler without a check, have no token that could be right. */
function isTokenShown(request: HttpRequest, identity: Identity | null, forgery: ForgeryCheck | undefined): boolean {
  const key = identity?.key ?? null
  return key !== null && forgery?.verifyToken(request.header('x-csrf-token'), key) === true
}

const optionNames = {
  ...endpointOptionNames,
  access: true,
  identify: true,
  forgery: true,
  cookies: true,
  context: true,
  translateError: true,
  onEvent: true,
  addresses: true,
  now: true,
} as const

function checkOptions<P extends AnyPolicy>(options: GraphqlHandlerOptions<P>): void {
  checkOptionNames('createGraphqlHandler', options, optionNames)
  if (typeof options.access?.prepare !== 'function') throw new TypeError('"access" must come from compileAccess')
  if (typeof options.identify?.read !== 'function') throw new TypeError('"identify" must be an IdentityReader')
}

function refuseSubscription({ operation }: { readonly operation: string }): void {
  if (operation !== 'subscription') return
  throw new AccessError('OPERATION_RESOLUTION_FAILURE', {
    message: 'Subscriptions are streams: open them over server-sent events or a WebSocket.',
  })
}
