import { after, type Timer } from '@latchkey/core/internal'
import type { HttpStream } from '@latchkey/http'
import type { ResultStream } from '../event-stream.ts'
import { StreamEndedError } from '../stream-end.ts'
import { createEventFrames, type EventFrames } from './event-frames.ts'

export interface StreamBodyOptions {
  /** The most milliseconds that a frame may wait for the client. */
  readonly stallMs: number
  /** The silence after which a comment is sent, in milliseconds. */
  readonly pingMs: number
  /** Called once, after the last frame. */
  readonly onOver: () => void
}

/** A stream as the body of a response. */
export interface StreamBody extends HttpStream {
  /** Gives the client one second for the rest. */
  hurry(): void
  /** Stops the stream because the client is gone. */
  close(): void
}

interface BodyState {
  readonly results: ResultStream
  readonly frames: EventFrames
  readonly cut: AbortController
  readonly onOver: () => void
  stallMs: number
  /** Runs while the client has not requested the next frame. */
  timer: Timer | null
  isOver: boolean
}

type Piece = IteratorResult<string, void>

const over: Piece = { done: true, value: undefined }
const hurryMs = 1_000

/** Creates a body that its client pulls, and that is cut off if the client stops pulling. */
export function createStreamBody(results: ResultStream, { stallMs, pingMs, onOver }: StreamBodyOptions): StreamBody {
  const frames = createEventFrames(results, pingMs)
  const cut = new AbortController()
  const state: BodyState = { results, frames, cut, onOver, stallMs, timer: null, isOver: false }
  waitForReader(state)
  return {
    cut: cut.signal,
    [Symbol.asyncIterator]: () => ({
      next: () => nextPiece(state),
      async return() {
        finish(state)
        return over
      },
    }),
    hurry() {
      state.stallMs = Math.min(state.stallMs, hurryMs)
      if (state.timer !== null) waitForReader(state)
    },
    close: () => finish(state),
  }
}

async function nextPiece(state: BodyState): Promise<Piece> {
  stopWaiting(state)
  if (state.isOver) return over
  try {
    const frame = await state.frames.next()
    if (frame === null) finish(state)
    else if (!state.isOver) waitForReader(state)
    return frame === null ? over : { done: false, value: frame }
  } catch (error) {
    finish(state)
    // Without `complete`, clients reconnect.
    if (error instanceof StreamEndedError) return over
    throw error
  }
}

function waitForReader(state: BodyState): void {
  stopWaiting(state)
  state.timer = after(state.stallMs, () => {
    finish(state)
    state.cut.abort()
  })
}

function stopWaiting(state: BodyState): void {
  state.timer?.stop()
  state.timer = null
}

function finish(state: BodyState): void {
  stopWaiting(state)
  if (state.isOver) return
  state.isOver = true
  void state.results.return()
  state.onOver()
}
