import type { CounterStore } from '../../counter-store.ts'
import { holds, same } from '../assertions.ts'

/** The stores, names and times of every test of the counter kit. */
export interface CounterBench {
  readonly store: CounterStore
  readonly other: CounterStore
  readonly key: string
  /** The time of the store: of the clock that was given, else what an unknown key returns. */
  time(): Promise<number>
  /** How far that may be from the time of a hit. */
  readonly slackMs: number
  wait(milliseconds: number): Promise<void>
}

/** Throws unless a hit that opens a window of this length names its end. */
export async function opensWindow(
  { store, time, slackMs }: CounterBench,
  key: string,
  windowMs: number,
  rule: string,
): Promise<number> {
  const before = await time()
  const { count, resetAt } = await store.hit(key, windowMs)
  const latest = (await time()) + windowMs + slackMs
  same(count, 1, `hit of ${rule}: the count`)
  holds(
    Number.isSafeInteger(resetAt),
    `hit of ${rule}: "resetAt" must be a whole number of milliseconds, got ${resetAt}`,
  )
  const [early, late] = [before + windowMs - slackMs - resetAt, resetAt - latest]
  holds(early <= 0, `hit of ${rule}: "resetAt" must be one window from now, got ${early} ms too early`)
  holds(late <= 0, `hit of ${rule}: "resetAt" must be one window from now, got ${late} ms too late`)
  return resetAt
}
