import type { ExecutionResult } from 'graphql'
import { refusal } from '../refusal.ts'
import type { Interruptible } from './interruptible.ts'
import { endNotices, StreamEnded } from './stream-end.ts'

/** The results of one subscription. `return` ends it at once, also while a `next` waits. */
export type ResultStream = AsyncGenerator<ExecutionResult, void, undefined>

export interface EventStreamInput {
  readonly events: AsyncIterator<unknown>
  /** Interrupted, it ends the stream. */
  readonly waiting: Interruptible
  /** Gives what becomes of one event: a result, `null` for one that is not for this client, or the last result. */
  readonly execute: (event: unknown) => Promise<EventResult>
  /** Called once, when the stream is over, whoever ended it. */
  readonly onOver: () => void
  /** What is shown of what a source throws. */
  readonly show: (error: unknown) => ExecutionResult
}

export interface EventResult {
  readonly result: ExecutionResult | null
  readonly isLast: boolean
}

/**
 * Gives the results one by one: the next event is asked for once the last result was taken. Where nothing but a new
 * sign-in helps, the end is told in a last result; after every other end of ours the stream throws `StreamEnded`, so
 * that its transport breaks off and the client comes back.
 */
export function createEventStream(input: EventStreamInput): ResultStream {
  const { events, waiting, execute, onOver, show } = input
  let isOver = false
  const finish = (): void => {
    if (isOver) return
    isOver = true
    onOver()
    // Nobody waits for it: a source that hangs would hold back the end.
    void (async () => events.return?.())().catch(() => undefined)
  }
  const done = (): IteratorResult<ExecutionResult, void> => {
    finish()
    return { done: true, value: undefined }
  }
  const last = (value: ExecutionResult): IteratorResult<ExecutionResult, void> => {
    finish()
    return { done: false, value }
  }
  const advance = async (): Promise<IteratorResult<ExecutionResult, void>> => {
    for (;;) {
      const event = await waiting.wait(Promise.resolve(events.next()))
      if (event.done) return done()
      const { result, isLast } = await execute(event.value)
      if (isLast && result) return last(result)
      if (result) return { done: false, value: result }
    }
  }
  const interrupted = new Error('the stream was returned')
  const stream: ResultStream = {
    async next() {
      if (isOver) return { done: true, value: undefined }
      try {
        return await advance()
      } catch (error) {
        if (error === interrupted) return done()
        if (!(error instanceof StreamEnded)) return last(show(error))
        const { code, message, isFinal } = endNotices[error.end]
        if (isFinal) return last({ errors: [refusal(code, { message })] })
        finish()
        throw error
      }
    },
    async return() {
      finish()
      waiting.interrupt(interrupted)
      return { done: true, value: undefined }
    },
    async throw(error) {
      finish()
      waiting.interrupt(interrupted)
      throw error
    },
    async [Symbol.asyncDispose]() {
      finish()
      waiting.interrupt(interrupted)
    },
    [Symbol.asyncIterator]: () => stream,
  }
  return stream
}
