import type { Identity } from '@latchkey/rbac'
import { type ExecutionResult, execute, type GraphQLError } from 'graphql'
import type { AuthContext } from '../access/auth-context.ts'
import type { Access } from '../access/compile-access.ts'
import type { OperationParams, OperationVerdict, PrepareInput } from '../access/prepare.ts'
import { AccessError } from '../errors.ts'
import { type Exchange, requestFacts } from '../handler/exchange.ts'
import { type ShownErrorsOptions, showErrors, showThrown } from '../handler/shown-errors.ts'
import type { PromiseOrValue } from '../promise-or-value.ts'
import { type Answer, answer, answerRefusal } from '../responses/answer.ts'
import { codeOf } from '../responses/error-table.ts'
import { createEventStream, type EventResult, type ResultStream } from './event-stream.ts'
import type { IdentityWatch } from './identity-watch.ts'
import { createInterruptible, type Interruptible } from './interruptible.ts'
import { readSourceEvents, type SourceEvents } from './source-events.ts'
import { endNotices, type StreamEnd, StreamEnded } from './stream-end.ts'

/** A stream, or the answer that a query would have got in its place. */
export type OpenedStream =
  | { readonly ok: true; readonly stream: ResultStream }
  | { readonly ok: false; readonly answer: Answer }

export interface SubscriberOptions {
  readonly access: Pick<Access, 'prepare'>
  readonly exchange: Exchange
  readonly credential: PrepareInput<never>['credential']
  readonly watch: IdentityWatch
  readonly eventMs: number
  readonly shown: ShownErrorsOptions
  readonly extend?: (base: AuthContext) => object
}

/** Opens the streams of one client. */
export interface Subscriber {
  /** How many streams are open or about to be. */
  readonly size: number
  /** @throws what went wrong before there was a stream: nothing of it is shown yet. */
  open(params: OperationParams, options: OpenOptions): Promise<OpenedStream>
  end(end: StreamEnd): void
  close(): void
}

export interface OpenOptions {
  readonly recheck: boolean
  readonly onOver: () => void
}

export function createSubscriber(options: SubscriberOptions): Subscriber {
  const { access, exchange, credential, watch, eventMs, shown, extend } = options
  const streams = new Map<Interruptible, ResultStream | null>()
  const late = { ms: eventMs, late: () => new AccessError('SERVICE_UNAVAILABLE', { message: 'It took too long.' }) }

  const prepare = (
    params: OperationParams,
    identity: Identity | null,
    signal: AbortSignal,
  ): PromiseOrValue<OperationVerdict> =>
    access.prepare(params, { identity, signal, ...(credential && { credential }), ...(extend && { extend }) })
  const refuseAll = (errors: readonly GraphQLError[]): Answer => answerRefusal(errors, requestFacts(exchange))

  /** One event is one request: decided anew, executed, and shown as an answer would be. */
  async function executeEvent(params: OperationParams, event: unknown, signal: AbortSignal): Promise<EventResult> {
    const identity = await watch.confirm()
    const verdict = await prepare(params, identity, signal)
    if (!verdict.ok) return { result: refuseAll(verdict.errors).body, isLast: true }
    const result = await execute({ ...verdict.args, rootValue: event })
    const errors = showErrors(result.errors ?? [], shown)
    if (isHidden(result, errors)) return { result: null, isLast: false }
    return { result: answer(result, errors, verdict, requestFacts(exchange)).body, isLast: false }
  }

  async function openStream(
    params: OperationParams,
    { recheck, onOver }: OpenOptions,
    waiting: Interruptible,
  ): Promise<OpenedStream> {
    const established = exchange.established?.reading.identity ?? null
    const identity = recheck ? await waiting.wait(watch.confirm(), late) : established
    const over = new AbortController()
    const verdict = await prepare(params, identity, over.signal)
    exchange.plan = verdict.plan
    if (!verdict.ok) return { ok: false, answer: refuseAll(verdict.errors) }
    if (verdict.plan.operation !== 'subscription') refuseOperation()
    const source = await waitForSource(readSourceEvents(verdict.args), (opening) => waiting.wait(opening, late))
    if (!source.ok) return { ok: false, answer: refuseAll(showErrors(source.errors, shown)) }
    const stream = createEventStream({
      events: source.events,
      waiting,
      execute: (event) => waiting.wait(executeEvent(params, event, over.signal), late),
      show: (error) => ({ errors: [showThrown(error, shown)] }),
      onOver() {
        streams.delete(waiting)
        over.abort()
        onOver()
      },
    })
    return { ok: true, stream }
  }

  return {
    get size() {
      return streams.size
    },
    async open(params, how) {
      const waiting = createInterruptible()
      streams.set(waiting, null)
      try {
        const opened = await openStream(params, how, waiting)
        if (opened.ok) streams.set(waiting, opened.stream)
        else streams.delete(waiting)
        return opened
      } catch (error) {
        streams.delete(waiting)
        throw error instanceof StreamEnded ? toRefusal(error) : error
      }
    },
    end(end) {
      for (const waiting of [...streams.keys()]) waiting.interrupt(new StreamEnded(end))
    },
    close() {
      for (const [waiting, stream] of [...streams]) {
        if (stream) void stream.return()
        else waiting.interrupt(new AccessError('SERVICE_UNAVAILABLE'))
      }
    },
  }
}

/** A source that comes when nobody waits for it any more is given back: it would listen for ever. */
async function waitForSource(
  opening: Promise<SourceEvents>,
  wait: (opening: Promise<SourceEvents>) => Promise<SourceEvents>,
): Promise<SourceEvents> {
  try {
    return await wait(opening)
  } catch (error) {
    void opening.then((source) => (source.ok ? source.events.return?.() : undefined)).catch(() => undefined)
    throw error
  }
}

/** Nothing is left of it but that there is something which this client may not see. */
function isHidden({ data }: ExecutionResult, errors: readonly GraphQLError[]): boolean {
  const isEmpty = !data || Object.values(data).every((value) => value === null)
  return isEmpty && errors.length > 0 && errors.every((error) => /^(?:NOT_FOUND|FORBIDDEN)$/.test(codeOf(error)))
}

function refuseOperation(): never {
  throw new AccessError('OPERATION_RESOLUTION_FAILURE', {
    message: 'Only subscriptions are answered here: send queries and mutations to the endpoint.',
  })
}

function toRefusal({ end, message }: StreamEnded): AccessError {
  return new AccessError(endNotices[end].code, { message })
}
