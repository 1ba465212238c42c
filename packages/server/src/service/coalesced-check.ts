/** Shares the result of a check with all callers while it is pending and shortly after its start. */
export type CoalescedCheck<T> = (look: () => Promise<T>) => Promise<T>

/** No look takes as long. On Workers it does not end when its request has been cut off. */
const lostAfterMs = 5_000

/** Creates a check that is shared for `sharedMs` from its start, and as long as it is pending. */
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
