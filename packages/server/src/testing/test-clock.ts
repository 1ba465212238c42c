import { checkOptionNames } from '@latchkey/core/internal'

/** How far a clock is advanced: the sum of its members, each a number of at least 0. */
export interface ClockStep {
  readonly days?: number
  readonly hours?: number
  readonly minutes?: number
  readonly seconds?: number
  readonly milliseconds?: number
}

/** The clock of a test server. It stands still until it is advanced. */
export interface TestClock {
  /** Returns epoch milliseconds. Pass it to your own code that needs the same time. */
  now(): number
  /**
   * Advances the clock, once the work under way has finished at the time at which it began.
   * @throws TypeError when the step is not valid: a clock only goes forward.
   */
  advance(step: ClockStep): Promise<void>
}

export interface TestClockOptions {
  /** Epoch milliseconds. */
  readonly startsAt: number
  /** Resolves when no work is under way. */
  readonly settled: () => Promise<void>
}

const day = 86_400_000
const millisecondsOf = { days: day, hours: day / 24, minutes: 60_000, seconds: 1000, milliseconds: 1 } as const
const units = { days: true, hours: true, minutes: true, seconds: true, milliseconds: true } as const

export function createTestClock({ startsAt, settled }: TestClockOptions): TestClock {
  let time = startsAt
  return {
    now: () => time,
    async advance(step) {
      const milliseconds = toMilliseconds(step)
      await settled()
      time += milliseconds
    },
  }
}

function toMilliseconds(step: ClockStep): number {
  const parts = Object.entries(checkOptionNames('clock.advance', step, units)) as [keyof ClockStep, number][]
  for (const [unit, count] of parts) {
    if (!(Number.isFinite(count) && count >= 0)) throw new TypeError(`"${unit}" must be a number of at least 0`)
  }
  return Math.round(parts.reduce((sum, [unit, count]) => sum + count * millisecondsOf[unit], 0))
}
