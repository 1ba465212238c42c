import type { HttpRequest } from '@latchkey/http'
import type { Identity } from '@latchkey/rbac'
import type { OperationParams } from '../access/prepare.ts'
import { AccessError } from '../errors.ts'
import type { Exchange } from '../handler/exchange.ts'
import type { RequestIdentity } from '../handler/request-identity.ts'
import { type ClientStreams, createClientStreams, type OpenedStream } from './client-streams.ts'
import type { IdentityWatch } from './identity-watches.ts'
import type { StreamEnd } from './stream-end.ts'
import { createStreamExchange } from './stream-refusal.ts'
import {
  addressKeyOf,
  presentedErrorsOf,
  refuseThrown,
  refuseWhileClosing,
  type SubscriptionHub,
} from './subscription-hub.ts'

export interface ConnectInput {
  readonly request: HttpRequest
  readonly requestIdentity: RequestIdentity
  /**
   * The most streams of this connection.
   *
   * @default limits.streamsPerClient
   */
  readonly streams?: number
  /** Called once when the service stops the streams, which are then over or about to return their last result. */
  readonly onEnd?: (end: StreamEnd) => void
}

/** A client with its streams, which stop together. */
export interface Connection {
  /**
   * Decides a subscription like `createGraphqlHandler` decides a query, and opens its stream. It never rejects.
   *
   * @param options `reidentify`: read the identity again, because the last read was some time ago.
   */
  subscribe(params: OperationParams, options?: { readonly reidentify?: boolean }): Promise<OpenedStream>
  /** Stops the streams for a reason of the service. */
  end(end: StreamEnd): void
  /** Stops the streams because the client is gone. */
  close(): void
}

interface ConnectionState {
  readonly hub: SubscriptionHub
  readonly input: ConnectInput
  readonly exchange: Exchange
  readonly clientKey: string | null
  readonly watch: IdentityWatch
  readonly streams: ClientStreams
  /** Slots of streams that are open or being opened. */
  held: number
  isOver: boolean
}

export function createConnection(hub: SubscriptionHub, input: ConnectInput): Connection {
  const watch = watchIdentity(hub, input, (end) => connection.end(end))
  const state = createState(hub, input, watch)
  const leave = (): boolean => {
    hub.connections.delete(connection)
    return markOver(state)
  }
  const connection: Connection = {
    subscribe: (params, { reidentify = false } = {}) => subscribe(state, params, reidentify),
    end(end) {
      if (!leave()) return
      state.streams.end(end)
      input.onEnd?.(end)
    },
    close() {
      leave()
      state.streams.close()
    },
  }
  hub.connections.add(connection)
  return connection
}

function watchIdentity(hub: SubscriptionHub, input: ConnectInput, onEnd: (end: StreamEnd) => void): IdentityWatch {
  const { request, requestIdentity } = input
  const read = async (): Promise<Identity | null> => (await hub.settings.reidentify.read(request)).identity
  return hub.watches.watch({ identity: requestIdentity.identity, read, onEnd })
}

function createState(hub: SubscriptionHub, input: ConnectInput, watch: IdentityWatch): ConnectionState {
  const { request, requestIdentity } = input
  const { access, context, stepUp, publishedScopes, limits } = hub.settings
  const exchange = createStreamExchange(request, requestIdentity)
  const streams = createClientStreams({
    access,
    request,
    requestIdentity,
    watch,
    eventMs: limits.eventMs,
    eventBytes: limits.eventBytes,
    shown: presentedErrorsOf(hub, exchange),
    onExceeded: (exceeded) => hub.reporter.exceeded(exchange, exceeded),
    ...(context && { extend: (base) => context(base, request, requestIdentity) }),
    ...(publishedScopes && { publishedScopes }),
    ...(stepUp && { stepUp: (identity, need) => stepUp(identity, need, request) }),
  })
  return { hub, input, exchange, clientKey: clientKeyOf(hub, input), watch, streams, held: 0, isOver: false }
}

/** Returns the account as key, or the address of an anonymous client. */
function clientKeyOf(hub: SubscriptionHub, { request, requestIdentity }: ConnectInput): string | null {
  const { identity } = requestIdentity
  if (identity) return `${identity.kind} ${identity.subject}`
  const address = addressKeyOf(hub, request)
  return address === null ? null : `address ${address}`
}

async function subscribe(state: ConnectionState, params: OperationParams, reidentify: boolean): Promise<OpenedStream> {
  const { hub, exchange } = state
  let release: (() => void) | null = null
  try {
    refuseOver(state)
    release = takeSlot(state)
    const opened = await openStream(state, params, { reidentify, onOver: release })
    if (opened.ok) return opened
    release()
    hub.reporter.answered(opened.answer, exchange)
    return opened
  } catch (error) {
    release?.()
    return { ok: false, answer: refuseThrown(hub, exchange, error) }
  }
}

async function openStream(
  state: ConnectionState,
  params: OperationParams,
  options: { readonly reidentify: boolean; readonly onOver: () => void },
): Promise<OpenedStream> {
  const { hub, input, streams } = state
  await hub.checkRate?.(input.request, input.requestIdentity)
  refuseOver(state)
  return streams.open(params, options)
}

/** @throws AccessError `SERVICE_UNAVAILABLE` */
function refuseOver({ hub, isOver }: ConnectionState): void {
  refuseWhileClosing(hub)
  if (isOver) throw new AccessError('SERVICE_UNAVAILABLE')
}

/**
 * Takes a slot before any asynchronous work, so that simultaneous subscriptions are counted, and returns the function
 * that releases it.
 *
 * @throws AccessError `RATE_LIMITED`, `SERVICE_UNAVAILABLE`
 */
function takeSlot(state: ConnectionState): () => void {
  const { hub, input, clientKey } = state
  if (state.held >= (input.streams ?? hub.settings.limits.streamsPerClient)) {
    throw new AccessError('RATE_LIMITED', { message: 'Too many streams are open. Close a stream and try again.' })
  }
  const release = hub.slots.take(clientKey)
  state.held++
  let isHeld = true
  return () => {
    if (isHeld) state.held--
    isHeld = false
    release()
  }
}

/** Returns whether the connection was still open. */
function markOver(state: ConnectionState): boolean {
  const wasOpen = !state.isOver
  state.isOver = true
  state.watch.stop()
  return wasOpen
}
