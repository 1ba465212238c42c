import type { StoredRecord } from '../../record-store.ts'
import { same } from '../assertions.ts'
import type { TestTable } from '../test-runner.ts'
import type { RecordBench } from './record-bench.ts'

export const recordIsolation: TestTable<RecordBench> = {
  'changing an object that get returned does not change the record': async ({ store, insert }) => {
    const record = await insert()
    spoil(await store.get(record.key))
    same(await store.get(record.key), record, 'the record')
  },

  'changing an object that a listing returned does not change the record': async ({ store, insert }) => {
    const record = await insert()
    const { items } = await store.listByOwner(record.owner ?? '')
    for (const item of items) spoil(item)
    same(await store.get(record.key), record, 'the record')
    same((await store.listByOwner(record.owner ?? '')).items, [record], 'the listing')
  },

  'changing an object that was inserted does not change the record': async ({ store, newRecord }) => {
    const record = { ...newRecord() }
    const expected = { ...record, version: 1 }
    await store.insert(record)
    spoil(record)
    same(await store.get(expected.key), expected, 'the record')
  },
}

/** Changes the object where possible; a frozen one throws, which is as good. */
function spoil(record: Partial<StoredRecord> | null): void {
  if (record && !Object.isFrozen(record)) Object.assign(record, { value: 'spoiled', version: 99, owner: 'spoiled' })
}
