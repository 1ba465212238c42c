import type { NewRecord, RecordStore, StoredRecord } from '../../record-store.ts'
import { same } from '../assertions.ts'
import type { TestTable } from '../test-runner.ts'
import type { RecordBench } from './record-bench.ts'

type Change = (store: RecordStore) => Promise<unknown>

const rounds = 10
const perRound = 40

export const recordLoad: TestTable<RecordBench> = {
  'every method at once on the records of one owner fails nowhere': async (bench) => {
    const { insertMany, newRecord, newOwner, now, race, list, store } = bench
    const failures: string[] = []
    for (let round = 0; round < rounds; round++) {
      const owner = newOwner()
      const records = await insertMany(perRound, { owner })
      const changes = records.flatMap((record, index) => mixOf(record, newRecord({ owner }), index, now() - 5))
      await race(changes.length, async (client, index) => {
        await changes[index]?.(client).catch((error) => failures.push(String(error)))
      })
      same(failures, [], 'the failures of calls that meet each other')
      await store.removeByOwner(owner)
      same(await list(owner), [], 'the listing after removeByOwner')
    }
  },
}

/**
 * Returns simultaneous changes to one record, inserts of others, and now and then a change of all records of the owner.
 * A row that is removed while it is inserted, and a row that is touched while it is swept, are locked in opposite
 * orders.
 */
function mixOf(record: StoredRecord, fresh: NewRecord, index: number, past: number): readonly Change[] {
  const { owner, value, expiresAt } = record
  const again: Change = (store) => store.insert({ key: record.key, owner, value, expiresAt })
  const often = (every: number, change: Change): readonly Change[] => (index % every === 0 ? [change] : [])
  return [
    again,
    (store) => store.touch(record, index % 2 ? past : expiresAt + 1),
    (store) => store.insert(fresh),
    ...often(4, async (store) => store.sweep?.(20)),
    (store) => store.replace(record, { value: 'second', expiresAt: expiresAt + 2 }),
    (store) => store.remove(record.key),
    again,
    again,
    ...often(8, (store) => store.removeByOwner(owner ?? '', { except: fresh.key })),
    ...often(8, (store) => store.listByOwner(owner ?? '')),
  ]
}
