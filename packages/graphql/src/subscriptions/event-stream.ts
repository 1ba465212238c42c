import type { ExecutionResult } from 'graphql'
import { refusal } from '../refusal.ts'
import type { Interruptible } from './interruptible.ts'
import { endNotices, StreamEndedError } from './stream-end.ts'

/**
 * The results of a subscription. `return` stops it at once, also while a `next` is pending; `throw` stops it with a
 * last result that has the error.
 */
export type ResultStream = AsyncGenerator<ExecutionResult, void, undefined>

export interface EventStreamInput {
  readonly events: AsyncIterator<unknown>
  /** Stops the stream when it is interrupted. */
  readonly waiting: Interruptible
  readonly execute: (event: unknown) => Promise<EventResult>
  /** Called once when the stream is over, for any reason. */
  readonly onOver: () => void
  /** Returns the client's view of an error of the source or of `execute`. */
  readonly show: (error: unknown) => ExecutionResult
}

export interface EventResult {
  /** `null`: the event is not for this client. */
  readonly result: ExecutionResult | null
  readonly isLast: boolean
}

interface EventStreamState extends EventStreamInput {
  isOver: boolean
}

type Step = IteratorResult<ExecutionResult, void>

const over: Step = { done: true, value: undefined }

/** Interrupts a stream whose consumer has returned it. */
const returned = new Error('the stream was returned')

/**
 * Returns the results one by one; the next event is requested after the last result was taken. If only a new sign-in
 * helps, the stream stops with a last result. For other reasons of the service it throws `StreamEndedError`, and the
 * transport breaks off so that the client reconnects.
 */
export function createEventStream(input: EventStreamInput): ResultStream {
  const state: EventStreamState = { ...input, isOver: false }
  const stream: ResultStream = {
    next: () => takeNext(state),
    async return() {
      cancel(state)
      return over
    },
    async throw(error) {
      cancel(state)
      return { done: false, value: state.show(error) }
    },
    async [Symbol.asyncDispose]() {
      cancel(state)
    },
    [Symbol.asyncIterator]: () => stream,
  }
  return stream
}

async function takeNext(state: EventStreamState): Promise<Step> {
  if (state.isOver) return over
  try {
    return await advance(state)
  } catch (error) {
    finish(state)
    return endWith(state, error)
  }
}

async function advance(state: EventStreamState): Promise<Step> {
  for (;;) {
    const event = await state.waiting.wait(Promise.resolve(state.events.next()))
    if (event.done) {
      finish(state)
      return over
    }
    const { result, isLast } = await state.execute(event.value)
    if (!result) continue
    if (isLast) finish(state)
    return { done: false, value: result }
  }
}

/** @throws StreamEndedError if the client should reconnect. */
function endWith({ show }: EventStreamState, error: unknown): Step {
  if (error === returned) return over
  if (!(error instanceof StreamEndedError)) return { done: false, value: show(error) }
  const { code, message, isFinal } = endNotices[error.end]
  if (!isFinal) throw error
  return { done: false, value: { errors: [refusal(code, { message })] } }
}

function cancel(state: EventStreamState): void {
  finish(state)
  state.waiting.interrupt(returned)
}

function finish(state: EventStreamState): void {
  if (state.isOver) return
  state.isOver = true
  state.onOver()
  // Not awaited: a hanging source would delay the stream.
  void (async () => state.events.return?.())().catch(() => undefined)
}
