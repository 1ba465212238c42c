import { holds, same } from '../assertions.ts'
import type { TestTable } from '../test-runner.ts'
import { keysOf, type RecordBench } from './record-bench.ts'

const minute = 60_000
/** Two clients estimate the clock of their backend from answers that took some time. */
const toleranceMs = 1000

export const recordClocks: TestTable<RecordBench> = {
  'the capabilities name the version of the contract': async ({ store }) => {
    same(store.capabilities.contract, 1, 'capabilities.contract')
  },

  'now is one clock for every client, and it goes on': async ({ store, other, now, wait }) => {
    const before = store.now()
    holds(Number.isSafeInteger(before), 'now must be a whole number of milliseconds')
    holds(Math.abs(before - other.now()) <= toleranceMs, 'two clients must have the same time')
    holds(Math.abs(before - now()) <= toleranceMs, 'now must be the clock of the kit')
    await wait(20)
    holds(store.now() >= before + 15, 'now must go on')
  },
}

/** They need a client whose clock is ahead. */
export const recordHaste: TestTable<RecordBench> = {
  'what a client whose clock is ahead has removed is gone': async ({ store, insert, now, ahead, list }) => {
    const record = await insert({ expiresAt: now() + 5 * minute })
    const hasty = await ahead(10 * minute)
    if (!hasty) throw new Error('"createStoreAt" must be given')
    same(await hasty.get(record.key), null, 'the record, to the client whose clock is ahead')
    await hasty.remove(record.key)
    same(await store.get(record.key), null, 'the record after its removal')
    same(await list(record.owner ?? ''), [], 'the listing of its owner')
  },

  'what a client whose clock is ahead has removed by its owner is gone': async (bench) => {
    const { store, insertMany, newOwner, now, ahead, list } = bench
    const hasty = await ahead(10 * minute)
    if (!hasty) throw new Error('"createStoreAt" must be given')
    const owner = newOwner()
    const records = await insertMany(3, { owner, expiresAt: now() + 5 * minute })
    const spared = await insertMany(1, { owner, expiresAt: now() + 60 * minute })
    await hasty.removeByOwner(owner, { except: spared[0]?.key ?? '' })
    for (const { key } of records) same(await store.get(key), null, 'a record after removeByOwner')
    same(keysOf(await list(owner)), keysOf(spared), 'the keys that are left')
  },
}
