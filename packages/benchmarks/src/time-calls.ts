import { median } from './statistics.ts'

/**
 * Gives the median time of a call in microseconds, over batches, so that looking at the clock costs nothing. A promise
 * is awaited before the next call.
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

/** The same in nanoseconds for a question that is answered at once. A yes has to be among the answers. */
export function nanosecondsPer(ask: (index: number) => boolean, seconds: number): number {
  const batch = 100_000
  const batches: number[] = []
  let granted = 0
  const end = performance.now() + seconds * 1000
  while (performance.now() < end) {
    const start = performance.now()
    for (let index = 0; index < batch; index++) if (ask(index)) granted++
    batches.push(((performance.now() - start) * 1e6) / batch)
  }
  if (granted === 0) throw new Error('nothing was granted')
  return median(batches)
}
