import { createMemoryRecordStore, type RecordStore } from '@latchkey/store'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { wrapStore } from '../../support/wrapped-store.ts'
import { countInterleavings, type ExploringOptions, explore } from './explore.ts'
import type { Endings } from './scenario.ts'
import { createStage } from './stage.ts'
import { createStillPlatform, type StillPlatform } from './still-platform.ts'

type Work = (records: RecordStore) => Promise<unknown>

let platform: StillPlatform
beforeEach(() => {
  platform = createStillPlatform()
})
afterEach(() => platform.end())

const counterAt0 = { key: 'counter', owner: null, expiresAt: 2, value: '0' }

/** Explores callers that share a record `counter`, and returns how they ended and what was stored, for each state that was judged. */
async function tryAll(works: Readonly<Record<string, Work>>, options?: ExploringOptions) {
  const ends: { readonly endings: Endings; readonly stored: string }[] = []
  const open = async () => {
    const records = createMemoryRecordStore({ now: () => 1 })
    await records.insert(counterAt0)
    const stage = createStage(platform)
    const started = Object.entries(works).map(([name, work]) => {
      return [name, () => work(wrapStore('records', records, stage.around(name)))] as const
    })
    await stage.start(Object.fromEntries(started))
    return { stage, stored: async () => `${(await records.get('counter'))?.value}` }
  }
  const judge = async (endings: Endings, stored: string) => {
    ends.push({ endings, stored })
    return []
  }
  return { ends, explored: await explore({ callers: Object.keys(works), open, judge }, options) }
}

/** Reads so many times. */
const reads =
  (times: number): Work =>
  async (records) => {
    for (let done = 0; done < times; done++) await records.get('counter')
  }

/** Adds one, and looks whether another caller was faster. */
const addsOne: Work = async (records) => {
  for (;;) {
    const read = await records.get('counter')
    if (read && (await records.replace(read, { value: `${Number(read.value) + 1}`, expiresAt: 2 }))) return true
  }
}

describe.each([false, true])('the explorer (runsEach: %s)', (runsEach) => {
  test.each([
    { steps: [3], schedules: 1n },
    { steps: [2, 2], schedules: 6n },
    { steps: [2, 2, 2], schedules: 90n },
    { steps: [1, 2, 4], schedules: 105n },
    { steps: [3, 3, 2], schedules: 560n },
  ])('callers of $steps calls have $schedules schedules', async ({ steps, schedules }) => {
    const works = Object.fromEntries(steps.map((times, index) => [`caller ${index}`, reads(times)]))
    const { explored } = await tryAll(works, { runsEach })
    expect(explored.schedules).toBe(schedules)
    expect(countInterleavings(...steps)).toBe(schedules)
    expect(Object.values(explored.calls)).toEqual(steps.map((own) => [own]))
    if (runsEach) expect(explored.judged).toBe(Number(schedules))
  })

  test('callers that repeat a lost swap have a schedule for each order, and lose no addition', async () => {
    const { explored, ends } = await tryAll({ A: addsOne, B: addsOne }, { runsEach })
    // A A B B and B B A A; else the second swap is lost, and its caller reads and swaps again.
    expect(explored).toMatchObject({ schedules: 6n, calls: { A: [2, 4], B: [2, 4] } })
    expect(new Set(ends.map(({ stored }) => stored))).toEqual(new Set(['2']))
  })

  test('a caller of two calls is killed before and after each, and told of a failure before and after each', async () => {
    const faults = ['killed', 'killed-after', 'failed', 'lost'] as const
    const { explored, ends } = await tryAll({ A: addsOne }, { runsEach, faults })
    expect(explored.schedules).toBe(9n)
    const seen = ends.map(({ endings, stored }) => `${endings.A?.as} ${stored}`)
    expect(new Set(seen)).toEqual(new Set(['answered 1', 'cut 0', 'cut 1', 'thrown 0', 'thrown 1']))
  })
})

test('a caller that makes two calls at once makes them in either order', async () => {
  const twoAtOnce: Work = async (records) => {
    await Promise.all([records.get('counter'), records.get('counter')])
    await records.get('counter')
  }
  expect((await tryAll({ A: twoAtOnce })).explored).toMatchObject({ schedules: 2n, atOnce: 2 })
  expect((await tryAll({ A: twoAtOnce, B: reads(1) })).explored).toMatchObject({ schedules: 8n, atOnce: 2 })
})

test('a caller comes after the callers with an answer before its first call', async () => {
  const { ends } = await tryAll({ A: reads(1), B: reads(1) })
  const after = ends.map(({ endings }) => [endings.A?.after, endings.B?.after])
  expect(after).toEqual([
    [[], ['A']],
    [['B'], []],
  ])
})

test('callers branch for the first steps only, if a number is given', async () => {
  const { explored } = await tryAll({ A: reads(3), B: reads(3) }, { branchesFor: 2, runsEach: true })
  expect(explored).toMatchObject({ schedules: 4n, calls: { A: [3], B: [3] } })
})

test('a run that continues the last run stops at a judgement', async () => {
  let draws = 0
  const insert = (records: RecordStore, key: string, value: string) => records.insert({ ...counterAt0, key, value })
  const works: Readonly<Record<string, Work>> = {
    A: async (records) => (await insert(records, 'first', '')) && (await insert(records, 'second', '')),
    B: reads(1),
    C: async (records) => insert(records, `drawn ${await records.get('none')}`, `${draws}`),
  }
  const open = async () => {
    draws = 0
    const records = createMemoryRecordStore({ now: () => 1 })
    const stage = createStage(platform)
    const started = Object.entries(works).map(([name, work]) => {
      return [name, () => work(wrapStore('records', records, stage.around(name)))] as const
    })
    await stage.start(Object.fromEntries(started))
    const keys = ['first', 'second', 'drawn null']
    return { stage, stored: async () => JSON.stringify(await Promise.all(keys.map((key) => records.get(key)))) }
  }
  const drawn = new Set<string | undefined>()
  const judge = async (_endings: Endings, stored: string) => {
    draws = 1
    drawn.add(JSON.parse(stored).at(-1)?.value)
    return []
  }
  await explore({ callers: Object.keys(works), open, judge })
  expect([...drawn]).toEqual(['0'])
})

test('a scenario that differs between two runs is refused', async () => {
  let calls = 0
  const differing: Work = (records) => reads(++calls > 1 ? 0 : 2)(records)
  await expect(tryAll({ A: differing, B: reads(2) })).rejects.toThrow('differs between two runs')
})

test('an addition without a swap is lost in some schedule', async () => {
  const careless: Work = async (records) => {
    const read = await records.get('counter')
    await records.remove('counter')
    await records.insert({ ...counterAt0, value: `${Number(read?.value ?? 0) + 1}` })
  }
  const { ends } = await tryAll({ A: careless, B: careless })
  expect(ends.map(({ stored }) => stored)).toContain('1')
})
