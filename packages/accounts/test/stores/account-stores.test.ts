import { createMemoryAccountStore } from '@latchkey/accounts'
import { describeAccountStore } from '@latchkey/accounts/testing'
import { collectTests, failuresOf } from '@latchkey/test-services'
import { describe, expect, test } from 'vitest'

const store = createMemoryAccountStore()
const optional = ['getMany', 'listRoleHolders', 'reservations'] as const
describeAccountStore({ describe, test, createStore: () => store, optional })

test('the kit of accounts completes on a store with immediate reads and delayed swaps', async () => {
  const sound = createMemoryAccountStore()
  const later: typeof sound = {
    ...sound,
    async replace(...given) {
      await new Promise((resolve) => setTimeout(resolve, 1))
      return sound.replace(...given)
    },
  }
  const tests = collectTests((runner) => describeAccountStore({ ...runner, createStore: () => later, optional }))
  expect([...(await failuresOf(tests))]).toEqual([])
})

test('the kit fails a store with other optional parts than declared, and reports the skipped tests', async () => {
  const texts: string[] = []
  const { getMany: _getMany, ...others } = createMemoryAccountStore()
  const kit = { createStore: () => others, backend: 'memory 1.0', report: (text: string) => texts.push(text) }
  const run = (parts: typeof optional | readonly ['reservations']) =>
    collectTests((runner) => describeAccountStore({ ...runner, ...kit, optional: parts })).filter(
      ({ title }) => title.startsWith('the store has those') || title.startsWith('the conformance'),
    )
  const told = 'the store has those optional methods and groups that the kit was told of'
  const untested = await failuresOf(run(['reservations']))
  expect(untested.get(told)).toBe('"listRoleHolders" is there, but is not tested: name it in "optional" of the kit')
  const missing = await failuresOf(run(optional))
  expect(missing.get(told)).toBe('"getMany" is not there: leave it out of "optional" of the kit')
  expect(texts[0]).toContain('account store, contract 1, on memory 1.0')
  expect(texts[0]).toContain(
    'skipped: one of the ids that are asked is denied, or none (needs "identities" of the store)',
  )
})

test('the kit completes on a store whose list never ends', async () => {
  const sound = createMemoryAccountStore()
  const endless: typeof sound = { ...sound, list: async (page) => ({ cursor: 'again', ...(await sound.list(page)) }) }
  const failures = await failuresOf(
    collectTests((runner) => describeAccountStore({ ...runner, createStore: () => endless, optional })),
  )
  expect(failures.get('every account is listed once, page by page')).toBe(
    'list must end: it returned the cursor "again" twice',
  )
})

describe('a page of the accounts in memory', () => {
  const newAccount = (id: string) => {
    const address = { id, email: `${id}@example.com`, name: id }
    return { ...address, roles: ['READER'], status: 'active', passwordHash: null, epoch: 0 } as const
  }
  const openTwo = async () => {
    const accounts = createMemoryAccountStore()
    for (const id of ['acc_1', 'acc_2']) await accounts.insert(newAccount(id))
    return accounts
  }

  test('a page may have one account and returns the cursor of the next page', async () => {
    const accounts = await openTwo()
    const first = await accounts.list({ limit: 1 })
    expect(first).toMatchObject({ items: [{ id: 'acc_1' }], cursor: expect.any(String) })
    expect(await accounts.list({ limit: 1, cursor: first.cursor ?? '' })).toMatchObject({ items: [{ id: 'acc_2' }] })
  })

  test('the page with the last account has no cursor', async () => {
    const accounts = await openTwo()
    const { cursor = '' } = await accounts.list({ limit: 1 })
    for (const page of [{ limit: 2 }, { limit: 3 }, { limit: 1, cursor }]) {
      expect(Object.keys(await accounts.list(page))).toEqual(['items'])
    }
  })

  test.each([0, -1, Number.NaN])('a page of %d accounts throws a TypeError', async (limit) => {
    const accounts = await openTwo()
    await expect(accounts.list({ limit })).rejects.toThrow(new TypeError('"limit" must be at least 1'))
  })
})
