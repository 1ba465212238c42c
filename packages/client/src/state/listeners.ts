/** Functions that are called with each change, the newest last. */
export type Listeners<Values extends readonly unknown[]> = Set<readonly [(...values: Values) => void]>

/** Adds a listener. Returns a function that removes it. */
export function addTo<Values extends readonly unknown[]>(
  all: Listeners<Values>,
  listener: (...values: Values) => void,
): () => void {
  const entry = [listener] as const
  all.add(entry)
  return () => void all.delete(entry)
}

/** Calls the listeners. A listener that throws is reported, and the others are called. */
export function callAll<Values extends readonly unknown[]>(all: Listeners<Values>, ...values: Values): void {
  for (const [listener] of [...all]) {
    try {
      listener(...values)
    } catch (error) {
      reportError(error)
    }
  }
}
