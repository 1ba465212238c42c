import { expect } from 'vitest'
import { countInterleavings, type Explored } from '../explorer/explore.ts'

/** Returns how many schedules a core has, beside those of callers with fixed numbers of calls. */
export function describeCount(title: string, { schedules, states, judged, calls, atOnce }: Explored): string {
  const most = Object.values(calls).map((numbers) => numbers.at(-1) ?? 0)
  const ranges = Object.entries(calls).map(([name, numbers]) => {
    return `${name} ${[...new Set([numbers[0], numbers.at(-1)])].join('–')}`
  })
  const parallel = atOnce > 1 ? `, up to ${atOnce} at once` : ''
  return [
    `${title}: ${schedules} schedules, ${states} states, ${judged} of them last ones`,
    `calls: ${ranges.join(', ')}${parallel}`,
    `${most.join(' + ')} calls in a row have ${countInterleavings(...most)}`,
  ].join('; ')
}

/**
 * Expects as many schedules as interleavings, if every caller makes the same number of calls in all of them, one after
 * another. Otherwise callers end sooner or repeat lost swaps: the fewest and the most calls bound the number.
 */
export function expectCount({ schedules, calls, atOnce }: Explored): void {
  const bounds = [0, -1].map((index) => Object.values(calls).map((numbers) => numbers.at(index) ?? 0))
  const [fewest = 0n, most = 0n] = bounds.map((numbers) => countInterleavings(...numbers))
  expect(schedules).toBeGreaterThanOrEqual(fewest)
  if (atOnce === 1) expect(schedules).toBeLessThanOrEqual(most)
}
