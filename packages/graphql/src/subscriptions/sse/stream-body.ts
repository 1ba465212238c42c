import type { HttpStream } from '@latchkey/http'
import type { ResultStream } from '../event-stream.ts'
import { StreamEndedError } from '../stream-end.ts'

export interface StreamBodyOptions {
  /** Writes results as text. It may run ahead: it is handed no result before the last one was taken. */
  readonly write: (results: ResultStream) => Promise<AsyncGenerator<string, void, undefined>>
  /** How long a piece may wait for a client to take it. */
  readonly stallMs: number
  /** Called once, when nothing more is sent. */
  readonly onOver: () => void
}

/** A stream as the body of a response. */
export interface StreamBody extends HttpStream {
  /** What is left to say must be taken within a second. */
  hurry(): void
  /** The client has gone. */
  close(): void
}

const hurryMs = 1_000

/** Gives a body that is pulled by its client, and cut off when the client does not pull. */
export async function createStreamBody(results: ResultStream, options: StreamBodyOptions): Promise<StreamBody> {
  const cut = new AbortController()
  const pace = createPace(results)
  const pieces = await options.write(pace.results)
  let patience = options.stallMs
  let timer: ReturnType<typeof setTimeout> | undefined
  let isOver = false

  const finish = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (isOver) return
    isOver = true
    void results.return()
    void pieces.return()
    options.onOver()
  }
  const waitForReader = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      finish()
      cut.abort()
    }, patience)
  }
  const next = async (): Promise<IteratorResult<string, void>> => {
    clearTimeout(timer)
    timer = undefined
    if (isOver) return { done: true, value: undefined }
    try {
      const piece = await pace.while(() => pieces.next())
      if (piece.done) finish()
      else if (!isOver) waitForReader()
      return piece
    } catch (error) {
      finish()
      // Without `complete`, clients know that there is more to come and where to ask for it.
      if (error instanceof StreamEndedError) return { done: true, value: undefined }
      throw error
    }
  }
  return {
    cut: cut.signal,
    [Symbol.asyncIterator]: () => ({
      next,
      async return() {
        finish()
        return { done: true, value: undefined }
      },
    }),
    hurry() {
      patience = Math.min(patience, hurryMs)
      if (timer !== undefined) waitForReader()
    },
    close: finish,
  }
}

/** Gives the results only while somebody waits for them. */
function createPace(source: ResultStream) {
  let waiting = 0
  let resume: (() => void) | null = null
  const results: ResultStream = Object.assign(Object.create(source), {
    async next() {
      if (waiting === 0) await new Promise<void>((resolve) => (resume = resolve))
      return source.next()
    },
    async return() {
      resume?.()
      return source.return()
    },
    [Symbol.asyncIterator]: () => results,
  })
  return {
    results,
    async while<T>(wait: () => Promise<T>): Promise<T> {
      waiting++
      resume?.()
      resume = null
      try {
        return await wait()
      } finally {
        waiting--
      }
    },
  }
}
