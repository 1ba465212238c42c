/**
 * Iterates over a map in small steps, so that expired entries are removed without a timer and without a long pause:
 * each call continues after the previous call, and returns the number of dropped entries, at most `limit`. It visits
 * `limit` entries, or `visits`.
 */
export function createLazySweep<T>(
  entries: ReadonlyMap<string, T>,
  dropIfExpired: (entry: T, now: number) => boolean,
): (now: number, limit: number, visits?: number) => number {
  let position = entries.values()
  const next = () => {
    const visited = position.next()
    if (!visited.done) return visited
    position = entries.values()
    return position.next()
  }
  return (now, limit, visits = limit) => {
    let dropped = 0
    for (let looked = 0; looked < visits && dropped < limit; looked++) {
      const { done, value } = next()
      if (done) break
      if (dropIfExpired(value, now)) dropped++
    }
    return dropped
  }
}
