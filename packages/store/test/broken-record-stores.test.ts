import { brokenRecordStores, describeRecordStore } from '@latchkey/store/testing'
import { collectTests, failuresOf, type KitTest } from '@latchkey/test-services'
import { beforeAll, describe, expect, test } from 'vitest'

/** The tests of the kit for a store, as a runner sees them. */
function kitTests(store: ReturnType<(typeof brokenRecordStores)[number]['createStore']>): readonly KitTest[] {
  return collectTests((runner) =>
    describeRecordStore({
      ...runner,
      createStore: () => store,
      createStoreAt: store.at,
      setVersion: store.setVersion,
      unreachable: store.unreachable,
      freeze: store.freeze,
      thaw: store.thaw,
      deadlineMs: 50,
    }),
  )
}

/** What takes a store a tenth of a second: only the stores that are found by it run it, in the long mode all. */
const slow = /four times at once|every method at once|beyond 1,000|look alike|hundreds of times/
const isLong = process.env.TEST_TIER === '3'

const order = 'reads beside changes of one record fit one order'

describe('the kit for record stores', () => {
  const failures = new Map<string, ReadonlyMap<string, string>>()
  const tests = kitTests(brokenRecordStores[0]!.createStore())

  beforeAll(async () => {
    const runs = brokenRecordStores.map(async ({ name, fails, createStore }) => {
      const run = kitTests(createStore()).filter(({ title }) => isLong || title === fails || !slow.test(title))
      failures.set(name, await failuresOf(run))
    })
    await Promise.all(runs)
  }, 600_000)

  test.each(brokenRecordStores)('finds that $name', ({ name, fails }) => {
    expect([...failures.get(name)!.keys()]).toContain(fails)
  })

  const found = brokenRecordStores.filter(({ fails }) => fails === order)
  test.each(found)('finds by the history of calls alone that $name', ({ name }) => {
    const message = expect.stringMatching(/^no order of these calls explains their answers:\n {2}client [12] \[\d+–/)
    // An outage has a deadline, which a machine that runs all stores at once may miss.
    const timed = tests.filter(({ group }) => group === 'outages').map(({ title }) => title)
    expect([...failures.get(name)!].filter(([title]) => !timed.includes(title))).toEqual([[order, message]])
  })

  test('fails a broken store for its mistake and not for everything', () => {
    for (const [name, failed] of failures)
      expect(failed.size, `${name}: ${[...failed.keys()].join(', ')}`).toBeLessThan(tests.length / 2)
  })

  test('has no test that every broken store fails, so what they are made from is sound', () => {
    const passed = (title: string) => [...failures.values()].some((failed) => !failed.has(title))
    expect(tests.map(({ title }) => title).filter((title) => !passed(title))).toEqual([])
  })

  test('has no race that every broken store passes', () => {
    const races = tests.filter(({ group }) => group === 'concurrency').map(({ title }) => title)
    const failed = [...failures.values()].flatMap((one) => [...one.keys()])
    expect(races.length).toBeGreaterThan(0)
    expect(races.filter((title) => !failed.includes(title))).toEqual([])
  })

  test('has a unique title for every test', () => {
    const titles = tests.map(({ title }) => title)
    expect(new Set(titles).size).toBe(titles.length)
  })
})
