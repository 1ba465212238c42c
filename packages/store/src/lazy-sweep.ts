/**
 * Walks round a map in small steps, so that expired entries go without a timer and without a long pause: each call
 * looks at `limit` entries, goes on where the last one stopped and gives the count of what it dropped.
 */
export function createLazySweep<T>(
  entries: ReadonlyMap<string, T>,
  dropIfExpired: (entry: T, now: number) => boolean,
): (now: number, limit: number) => number {
  let position = entries.values()
  return (now, limit) => {
    let dropped = 0
    for (let looked = 0; looked < limit; looked++) {
      const { done, value } = position.next()
      if (done) {
        position = entries.values()
        break
      }
      if (dropIfExpired(value, now)) dropped++
    }
    return dropped
  }
}
