/** Functions that are called with each change. */
export interface Listeners<Values extends readonly unknown[]> {
  /** Adds a listener; returns what removes it. */
  add(listener: (...values: Values) => void): () => void
  call(...values: Values): void
  newest(): ((...values: Values) => void) | undefined
}

/** Creates an empty list of listeners. A listener that throws is reported, and the others are called. */
export function createListeners<Values extends readonly unknown[]>(): Listeners<Values> {
  let all: { listener(...values: Values): void }[] = []
  return {
    add: (listener) => {
      const entry = { listener }
      all = [...all, entry]
      return () => {
        all = all.filter((other) => other !== entry)
      }
    },
    call: (...values) => {
      for (const { listener } of all) callSafely(listener, values)
    },
    newest: () => all.at(-1)?.listener,
  }
}

function callSafely<Values extends readonly unknown[]>(listener: (...values: Values) => void, values: Values): void {
  try {
    listener(...values)
  } catch (error) {
    reportError(error)
  }
}
