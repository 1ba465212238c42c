import { type Attributes, type Context, context, type Span, SpanStatusCode } from '@opentelemetry/api'

/** A started span, and the context in which it is active. */
export interface StartedSpan {
  readonly span: Span
  readonly within: Context
}

/** The result of the operation that a span describes. */
export interface Ending {
  readonly attributes: Attributes
  readonly failed: boolean
}

/** Returns the result of `start`, or `null` if the SDK, a sampler or a processor throws: then there is no span. */
export function startSafely<Started extends StartedSpan>(start: () => Started): Started | null {
  try {
    return start()
  } catch {
    return null
  }
}

/** Finishes a span. A failure is marked without the message of its error, which may quote a secret. */
export function endSpan({ span }: StartedSpan, { attributes, failed }: Ending): void {
  try {
    span.setAttributes(attributes)
    if (failed) span.setStatus({ code: SpanStatusCode.ERROR })
    span.end()
  } catch {
    // What cannot be recorded changes no answer.
  }
}

/** Calls `work` once, with the span active if there is a span, and then `ended` with its result or error. */
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

/** A context manager that throws, for example after its shutdown, must neither refuse the work nor repeat it. */
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

/** Returns the class of a thrown value, for `error.type`: class names are few, and messages may hold secrets. */
export function errorType(thrown: unknown): string {
  try {
    const name = thrown instanceof Error ? thrown.constructor.name : ''
    return /^[A-Za-z]\w{0,63}$/.test(name) ? name : '_OTHER'
  } catch {
    return '_OTHER'
  }
}
