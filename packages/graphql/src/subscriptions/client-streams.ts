import type { Identity } from '@latchkey/rbac'
import type { OperationParams } from '../access/prepare.ts'
import { AccessError } from '../errors.ts'
import { showErrors, showThrown } from '../handler/presented-errors.ts'
import type { Answer } from '../responses/answer.ts'
import { challengeStepUps } from '../rules/step-up-error.ts'
import { createEventStream, type ResultStream } from './event-stream.ts'
import { executeEvent } from './execute-event.ts'
import { readSourceEvents, type SourceEvents } from './source-events.ts'
import { endNotices, type StreamEnd, StreamEndedError } from './stream-end.ts'
import {
  createSubscription,
  inTime,
  prepareSubscription,
  refuseSubscription,
  type SubscribingClient,
  type Subscription,
} from './subscription.ts'

/** A stream, or the refusal that a query would get. */
export type OpenedStream =
  | { readonly ok: true; readonly stream: ResultStream }
  | { readonly ok: false; readonly answer: Answer }

export interface OpenOptions {
  /** Read the identity again before the operation is decided. */
  readonly reidentify: boolean
  readonly onOver: () => void
}

/** The streams of one client. */
export interface ClientStreams {
  /** @throws the error before the stream opens, unmasked. */
  open(params: OperationParams, options: OpenOptions): Promise<OpenedStream>
  end(end: StreamEnd): void
  close(): void
}

/** `null` while the stream is being opened. */
type OpenStreams = Map<Subscription, ResultStream | null>

export function createClientStreams(client: SubscribingClient): ClientStreams {
  const streams: OpenStreams = new Map()
  return {
    open: (params, options) => open(streams, createSubscription(client, params), options),
    end(end) {
      for (const { waiting } of [...streams.keys()]) waiting.interrupt(new StreamEndedError(end))
    },
    close() {
      for (const [{ waiting }, stream] of [...streams]) {
        if (stream) void stream.return()
        else waiting.interrupt(new AccessError('SERVICE_UNAVAILABLE'))
      }
    },
  }
}

async function open(streams: OpenStreams, subscription: Subscription, options: OpenOptions): Promise<OpenedStream> {
  const onOver = (): void => {
    drop(streams, subscription)
    options.onOver()
  }
  streams.set(subscription, null)
  try {
    const opened = await openStream(subscription, { ...options, onOver })
    if (opened.ok) streams.set(subscription, opened.stream)
    else drop(streams, subscription)
    return opened
  } catch (error) {
    drop(streams, subscription)
    throw error instanceof StreamEndedError ? toRefusal(error) : error
  }
}

function drop(streams: OpenStreams, subscription: Subscription): void {
  streams.delete(subscription)
  subscription.over.abort()
}

async function openStream(subscription: Subscription, { reidentify, onOver }: OpenOptions): Promise<OpenedStream> {
  const { client, exchange, waiting } = subscription
  const verdict = await prepareSubscription(subscription, await identityOf(subscription, reidentify))
  exchange.plan = verdict.plan
  client.onExceeded(verdict.exceeded)
  if (!verdict.ok) return { ok: false, answer: refuseSubscription(subscription, verdict.errors) }
  if (verdict.plan.operation !== 'subscription') refuseOperation()
  const source = await waitForSource(subscription, readSourceEvents(verdict.args))
  if (!source.ok) {
    const errors = await inTime(subscription, Promise.resolve(challengeStepUps(source.errors, client.stepUp)))
    return { ok: false, answer: refuseSubscription(subscription, showErrors(errors, client.shown)) }
  }
  const stream = createEventStream({
    events: source.events,
    waiting,
    execute: (event) => inTime(subscription, executeEvent(subscription, event)),
    show: (error) => ({ errors: [showThrown(error, client.shown)] }),
    onOver,
  })
  return { ok: true, stream }
}

async function identityOf(subscription: Subscription, reidentify: boolean): Promise<Identity | null> {
  const { watch, requestIdentity } = subscription.client
  return reidentify ? inTime(subscription, watch.confirm()) : requestIdentity.identity
}

/** Returns the source. A source that arrives too late is closed, because it would listen forever. */
async function waitForSource(subscription: Subscription, opening: Promise<SourceEvents>): Promise<SourceEvents> {
  try {
    return await inTime(subscription, opening)
  } catch (error) {
    void opening.then((source) => (source.ok ? source.events.return?.() : undefined)).catch(() => undefined)
    throw error
  }
}

/** @throws AccessError `OPERATION_RESOLUTION_FAILURE` */
function refuseOperation(): never {
  throw new AccessError('OPERATION_RESOLUTION_FAILURE', {
    message: 'Only subscriptions are accepted here. Send queries and mutations to the GraphQL endpoint.',
  })
}

function toRefusal({ end, message }: StreamEndedError): AccessError {
  return new AccessError(endNotices[end].code, { message })
}
