import { brokenDocumentStores, describeDocumentStore } from '@latchkey/store/testing'
import { collectTests, failuresOf, type KitTest } from '@latchkey/test-services'
import { beforeAll, describe, expect, test } from 'vitest'

/** The tests of the kit for a backend, as a runner sees them. */
function kitTests(backend: ReturnType<(typeof brokenDocumentStores)[number]['createBackend']>): readonly KitTest[] {
  return collectTests((runner) => describeDocumentStore({ ...runner, ...backend }))
}

const order = 'reads beside changes of one document fit one order'

describe('the kit for document stores', () => {
  const failures = new Map<string, ReadonlyMap<string, string>>()
  const tests = kitTests(brokenDocumentStores[0]!.createBackend())

  beforeAll(async () => {
    const runs = brokenDocumentStores.map(async ({ name, fails, createBackend }) => {
      // A thousand documents take each store seconds: only those run it that are found by it.
      const run = kitTests(createBackend()).filter(({ title }) => title === fails || !title.includes('1,000'))
      failures.set(name, await failuresOf(run))
    })
    await Promise.all(runs)
  }, 600_000)

  test.each(brokenDocumentStores)('finds that $name', ({ name, fails }) => {
    expect([...failures.get(name)!.keys()]).toContain(fails)
  })

  const found = brokenDocumentStores.filter(({ fails }) => fails === order)
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

  test('has no test that all broken stores fail, and no test that all broken stores pass', () => {
    const counts = tests.map(({ title }) => ({
      title,
      failed: [...failures.values()].filter((failed) => failed.has(title)).length,
    }))
    expect(counts.filter(({ failed }) => failed === 0 || failed === failures.size)).toEqual([])
  })

  test('has a unique title for every test', () => {
    expect(new Set(tests.map(({ title }) => title)).size).toBe(tests.length)
  })
})
