import type { ExecutionResult } from 'graphql'
import type { ExecutorClass, ExecutorParts, ValidatedArgs } from './graphql-internals.ts'

/** An executor class with only the arguments as a parameter. */
export type SignallingExecutor = new (args: ValidatedArgs) => InstanceType<ExecutorClass>

/**
 * Extends the executor with a signal that is created on first use. `graphql` creates an `AbortController` for each
 * operation and aborts it afterwards, which costs more than most operations.
 */
export function withLazySignal({ Executor, createSharedExecutionContext }: ExecutorParts): SignallingExecutor {
  return class extends Executor {
    readonly #signal: LazySignal

    constructor(args: ValidatedArgs) {
      const signal = new LazySignal()
      const shared = createSharedExecutionContext(undefined)
      const getAbortSignal = () => signal.get()
      shared.getAbortSignal = getAbortSignal
      super(args, shared)
      this.#signal = signal
    }

    override abort(reason: unknown): void {
      if (this.aborted) return
      super.abort(reason)
      this.#signal.abort(this.abortReason)
    }

    override buildResponse(data: unknown): ExecutionResult {
      this.#signal.abort(undefined)
      return super.buildResponse(data)
    }
  }
}

class LazySignal {
  #controller: AbortController | null = null
  #isOver = false
  #reason: unknown

  /** Returns the signal, aborted for the same reason if the execution is over. */
  get(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      if (this.#isOver) this.#controller.abort(this.#reason)
    }
    return this.#controller.signal
  }

  abort(reason: unknown): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#reason = reason
    this.#controller?.abort(reason)
  }
}
