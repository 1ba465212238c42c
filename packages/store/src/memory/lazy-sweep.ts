/**
 * Iterates over a map in small steps, so that expired entries are removed without a timer and without a long pause:
 * each call visits `limit` entries, continues where the last one stopped and returns how many it dropped.
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
