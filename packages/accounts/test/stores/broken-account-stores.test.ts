import { type AccountStore, createMemoryAccountStore } from '@latchkey/accounts'
import { brokenAccountStores, describeAccountStore } from '@latchkey/accounts/testing'
import { collectTests, failuresOf, type KitTest } from '@latchkey/test-services'
import { beforeAll, describe, expect, test } from 'vitest'

const optional = ['getMany', 'listRoleHolders', 'reservations', 'identities'] as const

/** The tests of the kit for a store, as a runner sees them. */
function kitTests(store: AccountStore): readonly KitTest[] {
  return collectTests((runner) => describeAccountStore({ ...runner, createStore: () => store, optional }))
}

/** The tests that every broken store takes, beside the one for its mistake. */
const always: ReadonlySet<string> = new Set(['contract', 'concurrency'])

describe('the kit for account stores', () => {
  const failures = new Map<string, readonly string[]>()
  const tests = kitTests(createMemoryAccountStore())

  beforeAll(async () => {
    const runs = brokenAccountStores.map(async ({ name, fails, createStore }) => {
      const told = kitTests(createStore()).filter(({ group, title }) => title === fails || always.has(group))
      failures.set(name, [...(await failuresOf(told)).keys()])
    })
    await Promise.all(runs)
  })

  test.each(brokenAccountStores)('finds that $name', ({ name, fails }) => {
    expect(failures.get(name)).toContain(fails)
  })

  test('fails a broken store for its mistake and not for everything', () => {
    for (const [name, failed] of failures)
      expect(failed.length, `${name}: ${failed.join(', ')}`).toBeLessThan(
        tests.filter(({ group }) => always.has(group)).length / 2,
      )
  })

  test('has no race that every broken store passes', () => {
    const races = tests.filter(({ group }) => group === 'concurrency').map(({ title }) => title)
    const failed = [...failures.values()].flat()
    expect(races.length).toBeGreaterThan(0)
    expect(races.filter((title) => !failed.includes(title))).toEqual([])
  })

  test('has a separate title for every test', () => {
    // What concerns outages is the same in every kit.
    const titles = tests.filter(({ group }) => group !== 'outages').map(({ title }) => title)
    expect(new Set(titles).size).toBe(titles.length)
  })
})
