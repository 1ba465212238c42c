/** The due times of requests at a fixed rate, independent of their answers, and the waiting time of each. */
export interface Schedule {
  /** How many requests there are. */
  readonly count: number
  /** When one is due, in milliseconds from the start. */
  dueAt(index: number): number
  /** How many are due by a moment. */
  dueBy(milliseconds: number): number
}

/** Returns the schedule of a rate: the first request is due at once, the others at even distances. */
export function createSchedule(perSecond: number, seconds: number): Schedule {
  const count = Math.max(1, Math.floor(perSecond * seconds))
  const distanceMs = 1000 / perSecond
  return {
    count,
    dueAt: (index) => index * distanceMs,
    dueBy: (milliseconds) => Math.min(count, Math.max(0, Math.floor(milliseconds / distanceMs) + 1)),
  }
}
