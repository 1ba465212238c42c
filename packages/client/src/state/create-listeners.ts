/** Functions that are called with each change. */
export interface Listeners<Values extends readonly unknown[]> {
  /** Adds a listener; returns what removes it. */
  add(listener: (...values: Values) => void): () => void
  call(...values: Values): void
  newest(): ((...values: Values) => void) | undefined
}

/** Creates an empty list of listeners. A listener that throws is reported, and the others are called. */
export function createListeners<Values extends readonly unknown[]>(): Listeners<Values> {
  const all = new Set<readonly [(...values: Values) => void]>()
  return {
    add: (listener) => {
      const entry = [listener] as const
      all.add(entry)
      return () => void all.delete(entry)
    },
    call: (...values) => {
      for (const [listener] of [...all]) {
        try {
          listener(...values)
        } catch (error) {
          reportError(error)
        }
      }
    },
    newest: () => [...all].at(-1)?.[0],
  }
}
