import {
  createServer as createNodeServer,
  type IncomingMessage,
  type Server as NodeServer,
  type RequestListener,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { checkOptionNames } from '@latchkey/core/internal'
import { toUpgradeListener } from '@latchkey/graphql/node'
import { createSecurityHeaders } from '@latchkey/http'
import type { FairQueue } from '@latchkey/http/fair-queue'
import { createRequestIds, type RequestIds } from '@latchkey/http/internal'
import { limitConnections, toNodeListener } from '@latchkey/http/node'
import type { Server } from '../create-server.ts'
import { serviceOf } from '../service/openable-service.ts'
import { answerBrokenRequests } from './answer-broken-requests.ts'
import {
  type ClosingLimits,
  closeAfterFailure,
  closeInOrder,
  followSockets,
  type OpenSockets,
} from './close-in-order.ts'
import { giveConnectionsTurns } from './connection-turns.ts'
import { describeAddress } from './printed-address.ts'
import { createStartPatience } from './wait-for-stores.ts'

/** A service that listens: operations and WebSockets at `/graphql`, server-sent events at `/graphql/stream`. */
export interface Listener {
  /** The address of the interface, for example `127.0.0.1`, `::1` or `0.0.0.0`, even if the option was a name. */
  readonly hostname: string
  readonly port: number
  /** Resolves when the service has closed, after `close` or a signal; rejects when it could not be closed in order. */
  readonly closed: Promise<void>
  /**
   * Stops accepting requests, closes subscriptions, lets pending requests finish, and closes the stores. Further calls
   * share the result.
   */
  close(): Promise<void>
}

interface Requests {
  listener: RequestListener
  security: Readonly<Record<string, string>>
  ids: RequestIds
  queue: FairQueue | null
}

/**
 * Serves a `Server` over HTTP on Node.js: binds the port, opens the stores, and answers. A signal closes the service in
 * order, after which the process can exit. Prints the address once the service answers. For HTTPS, use a proxy that
 * terminates TLS.
 *
 * @param source the server, or a function that creates it if its `baseUrl` depends on the assigned port. The function
 * is called again after a `StoreError` `STORE_UNAVAILABLE`, so it must leave nothing open then.
 * @throws the reason why the service cannot start: the port is taken, a store cannot be opened, a secret is malformed.
 * The port is free again then, and the server is closed. A `TypeError` for an unknown option.
 *
 * @example
 * import type { Server } from '@latchkey/server'
 * import { listen } from '@latchkey/server/node'
 * declare const server: Server
 * const listener = await listen(server, { port: 4000, migrate: true })
 * await listener.close()
 */
export async function listen(
  source: Server | ((address: Pick<Listener, 'hostname' | 'port'>) => Server | Promise<Server>),
  options: {
    /** 0 picks a free port. */
    readonly port: number
    /**
     * The interface, as an address or a name. On `0.0.0.0` and `::` it listens on all of them. Which hosts are served is not
     * decided by it, but by `baseUrl`, `http.allowedOrigins` and `http.allowedHosts`.
     * @default '127.0.0.1'
     */
    readonly hostname?: string
    /** Creates or upgrades the tables first. Otherwise missing or old tables stop the start. */
    readonly migrate?: boolean
    /**
     * Signals that close the service. A second signal exits the process at once.
     * @default ['SIGTERM', 'SIGINT']
     */
    readonly closeOn?: readonly NodeJS.Signals[]
    /**
     * How long pending requests may take to finish when the service closes, in milliseconds.
     * @default 10_000
     */
    readonly drainMs?: number
    /**
     * How long the subscriptions, and after the requests the stores, may take to close, in milliseconds. Closing that takes
     * longer fails.
     * @default 5_000
     */
    readonly closeMs?: number
    /**
     * How long the start waits for stores that do not answer or are locked, for example by processes that start at the
     * same time, in milliseconds. Steps that fail with `STORE_UNAVAILABLE` are retried. A pending step is not
     * interrupted. 0: no retry.
     * @default 10_000
     */
    readonly startMs?: number
    /**
     * Prints a line when the start waits; `null`: it is not printed.
     * @default console.log
     */
    readonly printProgress?: ((line: string) => void) | null
    /**
     * Prints each line with the addresses of the service; `null`: no output.
     * @default console.log
     */
    readonly print?: ((line: string) => void) | null
  },
): Promise<Listener> {
  checkOptionNames('listen', options, optionNames)
  const { port, hostname = '127.0.0.1', migrate = false, closeOn = ['SIGTERM', 'SIGINT'] } = options
  const { drainMs = 10_000, closeMs = 5_000, startMs = 10_000 } = checkTimes(options)
  // biome-ignore lint/suspicious/noConsole: who starts a service by hand looks for its address
  const { print = console.log, printProgress = console.log } = options
  const requests: Requests = { listener: answerNotOpen, security: notOpenSecurity, ids: notOpenIds, queue: null }
  const node: NodeServer = createNodeServer(
    {
      ...limits,
      // `broken` answers requests without a host.
      requireHostHeader: false,
      // Other upgrades are answered as HTTP (RFC 9110 §7.8), and so are WebSockets of a service without subscriptions.
      // Node.js 22 does not call this.
      shouldUpgradeCallback: ({ headers }: IncomingMessage): boolean =>
        headers.upgrade?.toLowerCase() === 'websocket' && node.listenerCount('upgrade') > 0,
    },
    (request, response) => {
      if (broken.take(request, response)) requests.listener(request, response)
    },
  )
  const sockets = followSockets(node)
  giveConnectionsTurns(node, () => requests.queue)
  const broken = answerBrokenRequests(node, () => ({
    ...requests.security,
    'X-Request-Id': requests.ids.draw(),
  }))
  const address = await bind(node, port, hostname)
  const patiently = createStartPatience({ startMs, print: (line) => printProgress?.(line) })
  let server: Server | null = null
  try {
    const opening = typeof source === 'function' ? await patiently(async () => source(address)) : source
    server = opening
    limitConnections(node, { trustedProxies: serviceOf(server)?.options.trustedProxies ?? [] })
    await patiently(() => opening.open({ migrate }))
    requests.listener = toNodeListener(server)
    requests.security = securityOf(server.baseUrl)
    requests.ids = serviceOf(server)?.requestIds ?? notOpenIds
    requests.queue = serviceOf(server)?.fairQueue ?? null
    // Sockets carry subscriptions only. Without subscriptions, an upgrade is answered like any other request.
    if (server.access.schema.getSubscriptionType()) {
      node.on('upgrade', toUpgradeListener(await server.sockets(), { path: server.path }))
    }
    const hasStartPage = serviceOf(server)?.options.developmentPages !== undefined
    const { baseUrl, path } = server
    for (const line of describeAddress({ baseUrl, path, hasStartPage }, address)) print?.(line)
    return createListener(server, sockets, { ...address, closeOn, drainMs, closeMs })
  } catch (error) {
    await closeAfterFailure(server, sockets, closeMs)
    throw error
  }
}

const optionNames = {
  port: true,
  hostname: true,
  migrate: true,
  closeOn: true,
  drainMs: true,
  closeMs: true,
  startMs: true,
  print: true,
  printProgress: true,
} as const

type Times = Pick<NonNullable<Parameters<typeof listen>[1]>, 'drainMs' | 'closeMs' | 'startMs'>

function checkTimes(options: NonNullable<Parameters<typeof listen>[1]>): Times {
  const { drainMs, closeMs, startMs } = options
  for (const [name, value] of Object.entries({ drainMs, closeMs, startMs })) {
    // A longer timer of Node.js fires at once.
    if (value === undefined || (value >= 0 && value <= 2 ** 31 - 1)) continue
    throw new TypeError(`"${name}" must be a number of milliseconds from 0 to ${2 ** 31 - 1}`)
  }
  return options
}

// A slow client occupies only a socket, until these limits close it.
const limits = {
  requestTimeout: 30_000,
  headersTimeout: 10_000,
  // By default Node.js checks every 30 seconds, and the limits above would be 40 and 60.
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 5_000,
  maxHeaderSize: 16_384,
}

function securityOf(baseUrl: string): Readonly<Record<string, string>> {
  return Object.fromEntries(createSecurityHeaders({ https: baseUrl.startsWith('https:') }).api)
}

const notOpenSecurity = securityOf('http:')

/** No proxy is known yet. */
const notOpenIds = createRequestIds()

/** Answers while the service opens, as it answers when its stores are not available. */
const answerNotOpen: RequestListener = ({ method, url = '' }, response) => {
  const [status, body] = notOpenBodies[url.split('?', 1)[0] ?? ''] ?? notOpen
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    ...notOpenSecurity,
    'x-request-id': notOpenIds.draw(),
    connection: 'close',
    ...(status === 503 && { 'retry-after': '1' }),
  }
  response.writeHead(status, headers).end(method === 'HEAD' ? undefined : JSON.stringify(body))
}

type NotOpen = readonly [status: number, body: object]

const notOpen: NotOpen = [
  503,
  {
    errors: [
      { message: 'The service is starting. Try again in a moment.', extensions: { code: 'SERVICE_UNAVAILABLE' } },
    ],
  },
]

/** The probes before the service has opened. The process is alive, and a long migration must not restart it. */
const notOpenBodies: Readonly<Record<string, NotOpen>> = {
  '/healthz': [200, { status: 'ok' }],
  '/readyz': [503, { status: 'unavailable', stores: 'unavailable' }],
}

function bind(node: NodeServer, port: number, hostname: string): Promise<Pick<Listener, 'hostname' | 'port'>> {
  return new Promise((resolve, reject) => {
    node.once('error', reject)
    node.listen(port, hostname, () => {
      node.off('error', reject)
      const { address, port } = node.address() as AddressInfo
      resolve({ hostname: address, port })
    })
  })
}

type ListenerParts = Pick<Listener, 'hostname' | 'port'> &
  Required<Pick<NonNullable<Parameters<typeof listen>[1]>, 'closeOn'>> &
  ClosingLimits

function createListener(server: Server, sockets: OpenSockets, parts: ListenerParts): Listener {
  const { hostname, port, closeOn } = parts
  let closing: Promise<void> | null = null
  const ended = Promise.withResolvers<void>()
  // A caller of `close` gets the failure from there.
  ended.promise.catch(() => null)
  const close = (): Promise<void> => {
    closing ??= closeInOrder(server, sockets, parts).finally(forget)
    ended.resolve(closing)
    return closing
  }
  const forget = (): void => {
    for (const signal of closeOn) process.off(signal, onSignal)
  }
  // A second signal has its usual effect, because no listener is left: it terminates the process at once. A rejection
  // is not caught, so that a store that cannot be closed terminates the process with its error.
  const onSignal = (): void => {
    forget()
    void close()
  }
  for (const signal of closeOn) process.on(signal, onSignal)
  return { hostname, port, closed: ended.promise, close }
}
