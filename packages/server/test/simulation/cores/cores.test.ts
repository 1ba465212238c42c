import { describe, expect, test } from 'vitest'
import { cores, everyFault, named } from './catalogue.ts'
import { type Core, type CoreRun, exploreCore } from './core.ts'
import { oneTimeCredential } from './one-time-cores.ts'
import { describeCount, expectCount } from './report.ts'

describe('every schedule of the store calls of', () => {
  const rows = cores.filter(({ tiers: [tier] }) => tier === 1)
  test.each(named(rows))('%s keeps its promises', async (title, { explore }) => {
    const explored = await explore({})
    console.log(describeCount(title, explored))
    expectCount(explored)
    expect([...explored.found]).toEqual([])
  })
})

describe('every schedule with a fault at any store call of', () => {
  const rows = cores.filter(({ tiers: [, tier] }) => tier === 1)
  test.each(named(rows))('%s keeps its promises', async (title, { explore }) => {
    const explored = await explore({ faults: everyFault })
    console.log(describeCount(`${title}, with a fault`, explored))
    expect([...explored.found]).toEqual([])
  })
})

test.each([[[]], [['killed'] as const]])(
  'a one-time credential with the faults %j has the same results by schedules as by states',
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
