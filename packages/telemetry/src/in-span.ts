import { type Attributes, type Context, context, type Span, SpanStatusCode } from '@opentelemetry/api'

/** A span that has begun, and the context in which it is the active one. */
export interface StartedSpan {
  readonly span: Span
  readonly within: Context
}

/** How what a span is about has ended. */
export interface Ending {
  readonly attributes: Attributes
  readonly failed: boolean
}

/** Returns what `start` does, or `null` where the SDK, a sampler or a processor throws: then nothing is traced. */
export function startSafely<Started extends StartedSpan>(start: () => Started): Started | null {
  try {
    return start()
  } catch {
    return null
  }
}

/** Ends a span. A failure is marked without a message: that of an error may quote what a trace must not have. */
export function endSpan({ span }: StartedSpan, { attributes, failed }: Ending): void {
  try {
    span.setAttributes(attributes)
    if (failed) span.setStatus({ code: SpanStatusCode.ERROR })
    span.end()
  } catch {
    // What cannot be recorded changes no answer.
  }
}

/** Calls `work` once, with the span active where there is one, and `ended` when it is done, whatever came of it. */
export function runWithin<Result>(
  started: Pick<StartedSpan, 'within'> | null,
  work: () => Promise<Result> | Result,
  ended: (outcome: { readonly result: Result } | { readonly thrown: unknown }) => void,
): Promise<Result> | Result {
  const pass = (result: Result): Result => {
    ended({ result })
    return result
  }
  const fail = (thrown: unknown): never => {
    ended({ thrown })
    throw thrown
  }
  let done: Promise<Result> | Result
  try {
    done = started ? callWithin(started, work) : work()
  } catch (error) {
    return fail(error)
  }
  return done instanceof Promise ? done.then(pass, fail) : pass(done)
}

/** A context manager that throws, as one that is shut down may, must neither refuse what is asked for nor have it done twice. */
function callWithin<Result>({ within }: Pick<StartedSpan, 'within'>, work: () => Result): Result {
  let call: (() => Result) | null = null
  const once = (): void => {
    try {
      const result = work()
      call = () => result
    } catch (error) {
      call = () => {
        throw error
      }
    }
  }
  try {
    context.with(within, once)
  } catch {
    // What was called before is not called again.
  }
  const called = call as (() => Result) | null
  return called ? called() : work()
}

/** Returns the class of what was thrown, for `error.type`: names of classes are few, and messages are not for traces. */
export function errorType(thrown: unknown): string {
  try {
    const name = thrown instanceof Error ? thrown.constructor.name : ''
    return /^[A-Za-z]\w{0,63}$/.test(name) ? name : '_OTHER'
  } catch {
    return '_OTHER'
  }
}
