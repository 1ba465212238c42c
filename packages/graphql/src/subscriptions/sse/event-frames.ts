import { after } from '@latchkey/core/internal'
import type { ExecutionResult } from 'graphql'
import type { ResultStream } from '../event-stream.ts'

/** The frames of one event stream, in the distinct connections mode of graphql-sse. */
export interface EventFrames {
  /**
   * Returns the next frame, and `null` after the last frame. Calls must not overlap.
   *
   * @throws the error of the results, without a `complete` event.
   */
  next(): Promise<string | null>
}

interface FramesState {
  readonly results: ResultStream
  readonly pingMs: number
  /** A result that was requested and has not been written yet. */
  requested: RequestedResult | null
  /** Stops waiting for the requested result. */
  wake: (() => void) | null
  progress: 'new' | 'open' | 'completed'
}

interface RequestedResult {
  readonly result: ReturnType<ResultStream['next']>
  isSettled: boolean
}

/** Clients ignore a comment. Some browsers process the headers only after the first byte of the body. */
const comment = ':\n\n'

/**
 * Creates the frames of results: a comment first and after each `pingMs` without a result, `next` events, and finally
 * `complete`. A result is requested when a frame is, so the reader sets the pace.
 */
export function createEventFrames(results: ResultStream, pingMs: number): EventFrames {
  const state: FramesState = { results, pingMs, requested: null, wake: null, progress: 'new' }
  return { next: () => nextFrame(state) }
}

async function nextFrame(state: FramesState): Promise<string | null> {
  if (state.progress === 'completed') return null
  if (state.progress === 'open') return eventFrame(state)
  state.progress = 'open'
  return comment
}

async function eventFrame(state: FramesState): Promise<string> {
  const requested = request(state)
  if (!requested.isSettled) await waitAtMostPing(state)
  if (!requested.isSettled) return comment
  state.requested = null
  const { done, value } = await requested.result
  if (!done) return printResult(state, value)
  state.progress = 'completed'
  return 'event: complete\ndata:\n\n'
}

/**
 * A result that is not JSON, for example with a `bigint` in a custom scalar, stops the stream like an error of a
 * resolver.
 */
async function printResult({ results }: FramesState, data: ExecutionResult): Promise<string> {
  try {
    return printNext(data)
  } catch (error) {
    const shown = await results.throw(error)
    return printNext(shown.value ?? {})
  }
}

/** JSON has no line breaks, so one line of data holds it. */
function printNext(result: ExecutionResult): string {
  return `event: next\ndata: ${JSON.stringify(result)}\n\n`
}

/** Subscribes to each result once: a new race for every comment would leak memory on a silent stream. */
function request(state: FramesState): RequestedResult {
  if (state.requested) return state.requested
  const requested: RequestedResult = { result: state.results.next(), isSettled: false }
  const settle = (): void => {
    requested.isSettled = true
    state.wake?.()
  }
  requested.result.then(settle, settle)
  state.requested = requested
  return requested
}

function waitAtMostPing(state: FramesState): Promise<void> {
  return new Promise((resolve) => {
    const timer = after(state.pingMs, resolve)
    const wake = (): void => {
      timer.stop()
      resolve()
    }
    state.wake = wake
  })
}
