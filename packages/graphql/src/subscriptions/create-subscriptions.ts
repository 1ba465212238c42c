import { createAddressReader, type HttpRequest, type IdentityReader } from '@latchkey/http'
import { checkOptionNames } from '@latchkey/options'
import type { AnyPolicy, Identity } from '@latchkey/rbac'
import type { OperationParams } from '../access/prepare.ts'
import { checkTrustedDocuments, type TrustedDocumentsOptions } from '../documents/choose-document.ts'
import { AccessError } from '../errors.ts'
import { createEstablisher, type Established } from '../handler/established.ts'
import { type Exchange, requestFacts } from '../handler/exchange.ts'
import type { GraphqlHandlerOptions } from '../handler/graphql-handler-options.ts'
import { createRateCheck } from '../handler/rate-limit-hook.ts'
import { createReporter } from '../handler/reporter.ts'
import { judgeSender } from '../handler/sender.ts'
import { type ShownErrorsOptions, showThrown } from '../handler/shown-errors.ts'
import { type Answer, answerRefusal } from '../responses/answer.ts'
import { createIdentityWatches } from './identity-watch.ts'
import type { StreamEnd } from './stream-end.ts'
import { readStreamLimits, type StreamLimits } from './stream-limits.ts'
import { createPlaces } from './stream-places.ts'
import { createStreamExchange } from './stream-refusal.ts'
import { createSubscriber, type OpenedStream, type OpenOptions } from './subscriber.ts'

export interface SubscriptionsOptions<P extends AnyPolicy>
  extends Pick<
    GraphqlHandlerOptions<P>,
    | 'access'
    | 'identify'
    | 'forgery'
    | 'cookies'
    | 'context'
    | 'translateError'
    | 'onEvent'
    | 'addresses'
    | 'rateLimit'
    | 'trustedDocuments'
    | 'now'
  > {
  /**
   * As `identify`, for the looks at an identity whose streams are open. Give one that does not count as a use, or an
   * open stream keeps an idle session alive. Default: `identify`.
   */
  readonly recheck?: IdentityReader<Identity>
  /** When an identity ends by itself, epoch milliseconds: its token's `exp`. Default: `recheck` tells. */
  readonly expiresAt?: (identity: Identity) => number | null
  /** What is left out has its default. */
  readonly limits?: Partial<StreamLimits>
}

/** Streams of events, whatever they are sent over. */
export interface Subscriptions {
  readonly limits: StreamLimits
  /** How many streams are open. */
  readonly open: number
  /** Ends all streams so that their clients come back elsewhere, and opens no more. */
  close(): void

  /**
   * For a transport: whether a page of somebody else sent a request. Of `establish` it is the part that needs no store.
   *
   * @throws AccessError `CSRF_REJECTED`
   */
  judge(request: HttpRequest): void
  /** For a transport: who sent a request, in the order credential, forgery, identity. It throws as a resolver may. */
  establish(request: HttpRequest): Promise<Established<Identity>>
  /** For a transport: takes somebody in, whose streams are ended together. */
  connect(input: ConnectInput): Connection
  /** For a transport: gives the refusal that something thrown stands for. */
  refuse(request: HttpRequest, error: unknown): Answer
  /** For a transport: whose places a request takes where nobody is signed in. */
  address(request: HttpRequest): string | null
  /** For a transport: the documents that may be asked for by id. */
  readonly trustedDocuments: TrustedDocumentsOptions | undefined
}

export interface ConnectInput {
  readonly request: HttpRequest
  readonly established: Established<Identity>
  /** How many streams this one may have open; as many as a client unless told. */
  readonly streams?: number
  /** Told once, when the service ends the streams. They are over then, or about to give their last result. */
  readonly onEnd?: (end: StreamEnd) => void
}

/** One client with its streams. */
export interface Connection {
  /**
   * Decides a subscription as `createGraphqlHandler` decides a query, and opens its stream. It never rejects.
   *
   * @param options `recheck`: the identity was established long ago.
   */
  subscribe(params: OperationParams, options?: { readonly recheck?: boolean }): Promise<OpenedStream>
  /** Ends the streams for a reason of the service's. */
  end(end: StreamEnd): void
  /** The client has gone. */
  close(): void
}

/**
 * Gives what decides subscriptions and keeps their streams: the same plan, limits, variables, cost and rules as of a
 * query. Hand it to `createStreamHandler` of `@latchkey/graphql/sse` and `createSocketHandler` of `@latchkey/graphql/ws`.
 *
 * Each event is executed like a request of its own: with the identity as it is then, and refused as a query would be.
 * What one may not see does not exist: an event of which nothing but `NOT_FOUND` or `FORBIDDEN` is left is not sent.
 * Whoever is signed out, disabled, expired or given other roles loses their streams within five seconds, also when that
 * was done by another process.
 *
 * @throws TypeError naming the option that cannot be used.
 *
 * @example
 * import { compileAccess, createSubscriptions } from '@latchkey/graphql'
 * import { createIdentityReader } from '@latchkey/http'
 * import { definePolicy } from '@latchkey/rbac'
 * import { buildSchema } from 'graphql'
 * const policy = definePolicy({ permissions: ['notes:read'], roles: { READER: { permissions: ['notes:read'] } } })
 * const findTokenOwner = async (token: string) => (token === 'secret' ? { subject: 'acc_1', roles: ['READER'] } : null)
 * const subscriptions = createSubscriptions({
 *   access: compileAccess({
 *     schema: buildSchema('type Query { hello: String } type Subscription { ticks: Int }'),
 *     policy,
 *     rules: { 'Query.hello': 'public', 'Subscription.ticks': 'authenticated' },
 *   }),
 *   identify: createIdentityReader({ bearer: { verify: async (token) => policy.identify(await findTokenOwner(token)) } }),
 * })
 */
export function createSubscriptions<P extends AnyPolicy>(given: SubscriptionsOptions<P>): Subscriptions {
  // The names that the policy's type adds to the context were checked by the compiler: at run time it is the same one.
  const options = given as unknown as SubscriptionsOptions<AnyPolicy>
  checkOptions(options)
  const { identify, recheck = identify, expiresAt = () => null, now = Date.now, translateError = () => null } = options
  const { rateLimit, trustedDocuments, addresses = createAddressReader() } = options
  const limits = readStreamLimits(options.limits)
  const checkRate = createRateCheck({ rateLimit, addresses, timeoutMs: limits.eventMs })
  const address = (request: HttpRequest): string | null => {
    const read = addresses.read(request)
    return read === null ? null : addresses.limitKey(read)
  }
  const establish = createEstablisher(options)
  const reporter = createReporter(options)
  const watches = createIdentityWatches({ recheckMs: limits.recheckMs, expiresAt, now })
  const places = createPlaces({ atMost: limits.streams, perClientAtMost: limits.streamsPerClient })
  const connections = new Set<Connection>()
  let isClosing = false

  const shownOptions = (exchange: Exchange): ShownErrorsOptions => ({
    translateError,
    report: (...failure) => reporter.failed(exchange, ...failure),
  })
  const refuseThrown = (exchange: Exchange, error: unknown): Answer => {
    const answer = answerRefusal([showThrown(error, shownOptions(exchange))], requestFacts(exchange))
    reporter.answered(answer, exchange)
    return answer
  }

  function connect({ request, established, streams = limits.streamsPerClient, onEnd }: ConnectInput): Connection {
    const exchange = createStreamExchange(request, established)
    const { identity, credential } = established.reading
    const client = identity ? `${identity.kind} ${identity.subject}` : addressKey(address(request))
    const watch = watches.watch({
      identity,
      read: async () => (await recheck.read(request)).identity,
      onEnd: (end) => connection.end(end),
    })
    const subscriber = createSubscriber({
      access: options.access,
      exchange,
      credential,
      watch,
      eventMs: limits.eventMs,
      shown: shownOptions(exchange),
      ...(options.context && { extend: (base) => options.context?.(base, request, established) ?? {} }),
    })
    let opening = 0
    let isOver = false
    const refuseOver = (): void => {
      if (isClosing || isOver) throw new AccessError('SERVICE_UNAVAILABLE')
    }
    /** Whoever waits for the rate limit has taken their place already, and hands it on in the same turn. */
    const openStream = async (params: OperationParams, how: OpenOptions): Promise<OpenedStream> => {
      opening++
      try {
        await checkRate?.(request, established)
      } finally {
        opening--
      }
      refuseOver()
      return subscriber.open(params, how)
    }
    const leave = (): boolean => {
      const wasOpen = !isOver
      isOver = true
      watch.stop()
      connections.delete(connection)
      return wasOpen
    }
    const connection: Connection = {
      async subscribe(params, { recheck = false } = {}) {
        let release: (() => void) | null = null
        try {
          refuseOver()
          if (subscriber.size + opening >= streams)
            throw new AccessError('RATE_LIMITED', { message: 'Too many streams are open.' })
          release = places.take(client)
          const opened = await openStream(params, { recheck, onOver: release })
          if (opened.ok) return opened
          release()
          reporter.answered(opened.answer, exchange)
          return opened
        } catch (error) {
          release?.()
          return { ok: false, answer: refuseThrown(exchange, error) }
        }
      },
      end(end) {
        if (!leave()) return
        subscriber.end(end)
        onEnd?.(end)
      },
      close() {
        leave()
        subscriber.close()
      },
    }
    connections.add(connection)
    return connection
  }

  return {
    limits,
    get open() {
      return places.taken
    },
    close() {
      isClosing = true
      for (const connection of [...connections]) connection.end('closing')
      watches.stop()
    },
    judge(request) {
      judgeSender(request, options)
    },
    async establish(request) {
      if (isClosing) throw new AccessError('SERVICE_UNAVAILABLE')
      return establish(request)
    },
    connect,
    trustedDocuments,
    refuse: (request, error) => refuseThrown(createStreamExchange(request, null), error),
    address,
  }
}

function addressKey(address: string | null): string | null {
  return address === null ? null : `address ${address}`
}

const optionNames = {
  access: true,
  identify: true,
  forgery: true,
  cookies: true,
  context: true,
  translateError: true,
  onEvent: true,
  addresses: true,
  rateLimit: true,
  trustedDocuments: true,
  now: true,
  recheck: true,
  expiresAt: true,
  limits: true,
} as const

function checkOptions(options: SubscriptionsOptions<AnyPolicy>): void {
  checkOptionNames('createSubscriptions', options, optionNames)
  const { access, identify, recheck = identify, rateLimit, trustedDocuments } = options
  if (rateLimit !== undefined && typeof rateLimit !== 'function') throw new TypeError('"rateLimit" must be a function')
  checkTrustedDocuments(trustedDocuments)
  if (typeof access?.prepare !== 'function') throw new TypeError('"access" must come from compileAccess')
  for (const [name, reader] of Object.entries({ identify, recheck })) {
    if (typeof reader?.read !== 'function') throw new TypeError(`"${name}" must be an IdentityReader`)
  }
}
