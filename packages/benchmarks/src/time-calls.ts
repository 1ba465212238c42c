import { median } from './statistics.ts'

/**
 * Returns the median time of a call in microseconds, over batches, so that reading the clock costs little. A promise is
 * awaited before the next call.
 */
export async function microsecondsPer(
  work: (() => unknown) | undefined,
  seconds: number,
  batch = 200,
): Promise<number> {
  if (!work) throw new Error('there is nothing to measure')
  const batches: number[] = []
  const end = performance.now() + seconds * 1000
  while (performance.now() < end) {
    const start = performance.now()
    for (let count = 0; count < batch; count++) {
      const result = work()
      if (result instanceof Promise) await result
    }
    batches.push(((performance.now() - start) * 1000) / batch)
  }
  return median(batches)
}

/**
 * Returns the median time of a synchronous check in nanoseconds. Each way has its own loop, so that the engine compiles
 * it separately, as in an application with a single way.
 *
 * @param askMany makes this many checks and returns the number of accepted checks, at least one.
 */
export function nanosecondsPer(askMany: (count: number) => number, seconds: number): number {
  const batch = 100_000
  const batches: number[] = []
  const end = performance.now() + seconds * 1000
  while (performance.now() < end) {
    const start = performance.now()
    if (askMany(batch) === 0) throw new Error('nothing was granted')
    batches.push(((performance.now() - start) * 1e6) / batch)
  }
  return median(batches)
}
