import { describe, expect, test } from 'vitest'
import { cores, everyFault } from './catalogue.ts'
import { type Core, type CoreRun, exploreCore } from './core.ts'
import { oneTimeCredential } from './one-time-cores.ts'
import { describeCount, expectCount } from './report.ts'

describe('after every schedule of the store calls of', () => {
  const rows = cores.filter(({ tiers: [tier] }) => tier === 1)
  test.each(rows)('$title, what is promised holds', async ({ title, explore }) => {
    const explored = await explore({})
    console.log(describeCount(title, explored))
    expectCount(explored)
    expect([...explored.found]).toEqual([])
  })
})

describe('after every schedule with a caller that is killed, or told of a failure, at any store call, of', () => {
  const rows = cores.filter(({ tiers: [, tier] }) => tier === 1)
  test.each(rows)('$title, what is promised holds', async ({ title, explore }) => {
    const explored = await explore({ faults: everyFault })
    console.log(describeCount(`${title}, with a fault`, explored))
    expect([...explored.found]).toEqual([])
  })
})

test.each([[[]], [['killed'] as const]])(
  'each schedule of a one-time credential, run by itself with the faults %j, ends as one of the explored states',
  async (faults) => {
    const [states, each] = [
      await collect(oneTimeCredential, { faults }),
      await collect(oneTimeCredential, { faults, runsEach: true }),
    ]
    expect(each.ends).toEqual(states.ends)
    expect(each.explored.schedules).toBe(states.explored.schedules)
    expect(each.explored.judged).toBe(Number(each.explored.schedules))
    expect(states.explored.judged).toBeLessThan(each.explored.judged)
  },
)

/** Explores a core, and returns all the ways in which its callers have ended. */
async function collect<Given>(core: Core<Given>, run: CoreRun) {
  const ends = new Set<string>()
  const judge: Core<Given>['judge'] = async (after) => {
    ends.add(JSON.stringify(after.endings))
    return core.judge(after)
  }
  return { explored: await exploreCore({ ...core, judge }, run), ends }
}
