import { createMemoryAccountStore, unknownAttempt } from '@latchkey/accounts'
import { describe, expect, test } from 'vitest'
import { createBench } from './bench.ts'

function createCountedBench() {
  const calls: string[] = []
  const bench = createBench({
    aroundAccounts(method, run) {
      calls.push(method)
      return run()
    },
  })
  return { accounts: bench.unnamed, insert: bench.insert, calls }
}

describe('getMany', () => {
  test('returns the accounts in the order of the ids, and null for an unknown one, in one call of the store', async () => {
    const { accounts, insert, calls } = createCountedBench()
    const [ada, otto] = [await insert({ email: 'ada@example.com' }), await insert({ email: 'otto@example.com' })]
    calls.length = 0
    const found = await accounts.getMany([otto.id, 'acc_unknown', ada.id, otto.id])
    expect(found.map((account) => account?.email)).toEqual([otto.email, undefined, ada.email, otto.email])
    expect(found[1]).toBeNull()
    expect(calls).toEqual(['getMany'])
  })

  test('returns what get returns: neither the hash nor the epoch', async () => {
    const { accounts, insert } = createCountedBench()
    const { id } = await insert()
    expect(await accounts.getMany([id])).toEqual([await accounts.get(id)])
    expect(Object.keys((await accounts.getMany([id]))[0] ?? {}).sort()).toEqual([
      'email',
      'id',
      'name',
      'roles',
      'status',
    ])
  })

  test('getMany of no ids does not read the store', async () => {
    const { accounts, calls } = createCountedBench()
    expect(await accounts.getMany([])).toEqual([])
    expect(calls).toEqual([])
  })

  test('getMany reads each account if the store has no getMany', async () => {
    const { getMany: _shortcut, ...store } = createMemoryAccountStore()
    const { unnamed: accounts } = createBench({ options: { accounts: store } })
    const person = { email: 'ada@example.com', name: 'Ada', password: null, roles: ['READER'] }
    const made = await accounts.create({ ...person, attempt: unknownAttempt })
    expect(await accounts.getMany(['acc_unknown', made?.id ?? ''])).toEqual([null, made])
  })

  test('takes 1000 ids, and of 1001 asks no store and is a TypeError', async () => {
    const { accounts, calls } = createCountedBench()
    const ids = Array.from({ length: 1001 }, (_, index) => `acc_${index}`)
    expect(await accounts.getMany(ids.slice(1))).toHaveLength(1000)
    await expect(accounts.getMany(ids)).rejects.toThrow(new TypeError('"ids" may have 1000 entries at most'))
    expect(calls).toEqual(['getMany'])
  })
})
