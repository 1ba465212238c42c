import type { PromiseOrValue } from '../promise-or-value.ts'

/** The results of the fields of an object, some of them asynchronous. */
export class FieldResults {
  /** An object without a prototype takes several times as long to fill and to write as JSON. */
  readonly data: Record<string, unknown>
  #waiting = 0
  #whole: PromiseWithResolvers<Record<string, unknown>> | null = null

  constructor(hasProto: boolean) {
    this.data = hasProto ? Object.create(null) : {}
  }

  wait(): void {
    this.#waiting++
  }

  set(name: string, value: unknown): void {
    this.data[name] = value
    this.#waiting--
    if (this.#waiting === 0) this.#whole?.resolve(this.data)
  }

  /** Rejects the object, because a non-null field has failed. */
  fail(error: unknown): void {
    this.#whole?.reject(error)
  }

  /**
   * Resolves as many turns of the queue after the last result as `Promise.all` in `graphql`, so that two failures come in the
   * same order as there.
   */
  whole(): PromiseOrValue<Record<string, unknown>> {
    if (this.#waiting === 0) return this.data
    this.#whole = Promise.withResolvers()
    return this.#whole.promise.then(itself).then(itself)
  }
}

const itself = (data: Record<string, unknown>): Record<string, unknown> => data
