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

describe('the kit for record stores', () => {
  const failures = new Map<string, readonly string[]>()
  const tests = kitTests(brokenRecordStores[0]!.createStore())

  beforeAll(async () => {
    const runs = brokenRecordStores.map(async ({ name, fails, createStore }) => {
      const run = kitTests(createStore()).filter(({ title }) => isLong || title === fails || !slow.test(title))
      failures.set(name, [...(await failuresOf(run)).keys()])
    })
    await Promise.all(runs)
  }, 600_000)

  test.each(brokenRecordStores)('finds that $name', ({ name, fails }) => {
    expect(failures.get(name)).toContain(fails)
  })

  test('fails a broken store for its mistake and not for everything', () => {
    for (const [name, failed] of failures)
      expect(failed.length, `${name}: ${failed.join(', ')}`).toBeLessThan(tests.length / 2)
  })

  test('has no test that every broken store fails, so what they are made from is sound', () => {
    const passed = (title: string) => [...failures.values()].some((failed) => !failed.includes(title))
    expect(tests.map(({ title }) => title).filter((title) => !passed(title))).toEqual([])
  })

  test('has no race that every broken store passes', () => {
    const races = tests.filter(({ group }) => group === 'concurrency').map(({ title }) => title)
    const failed = [...failures.values()].flat()
    expect(races.length).toBeGreaterThan(0)
    expect(races.filter((title) => !failed.includes(title))).toEqual([])
  })

  test('has a unique title for every test', () => {
    const titles = tests.map(({ title }) => title)
    expect(new Set(titles).size).toBe(titles.length)
  })
})
