import { checkOptionNames } from '@latchkey/core/internal'
import type { TestServer } from './test-server.ts'

export interface TestClockOptions {
  /** Epoch milliseconds. */
  readonly startsAt: number
  /** Resolves when all pending work has finished. */
  readonly settled: () => Promise<void>
}

const day = 86_400_000
const millisecondsOf = { days: day, hours: day / 24, minutes: 60_000, seconds: 1000, milliseconds: 1 } as const
const units = { days: true, hours: true, minutes: true, seconds: true, milliseconds: true } as const

export function createTestClock({ startsAt, settled }: TestClockOptions): TestServer['clock'] {
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

function toMilliseconds(step: Parameters<TestServer['clock']['advance']>[0]): number {
  const parts = Object.entries(checkOptionNames('clock.advance', step, units)) as [
    keyof Parameters<TestServer['clock']['advance']>[0],
    number,
  ][]
  for (const [unit, count] of parts) {
    if (!(Number.isFinite(count) && count >= 0)) throw new TypeError(`"${unit}" must be a number of at least 0`)
  }
  return Math.round(parts.reduce((sum, [unit, count]) => sum + count * millisecondsOf[unit], 0))
}
