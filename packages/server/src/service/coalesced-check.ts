/** Returns what a look finds to all who ask while it is under way, or shortly after it has begun: one look for all of them. */
export type CoalescedCheck<T> = (look: () => Promise<T>) => Promise<T>

/** No look takes as long. On Workers it does not end when its request has been cut off. */
const lostAfterMs = 5_000

/** Creates a look that is shared for so many milliseconds from its beginning, and as long as it is under way. */
export function createCoalescedCheck<T>(sharedMs: number): CoalescedCheck<T> {
  let shared: Promise<T> | null = null
  let begunAt = 0
  let isUnderWay = false
  return (look) => {
    const at = performance.now()
    if (shared && at - begunAt < (isUnderWay ? lostAfterMs : sharedMs)) return shared
    begunAt = at
    isUnderWay = true
    const own = look().finally(() => {
      if (shared === own) isUnderWay = false
    })
    shared = own
    return own
  }
}
