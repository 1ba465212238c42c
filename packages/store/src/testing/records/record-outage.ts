import type { NewRecord, RecordStore, StoredRecord } from '../../record-store.ts'
import { same } from '../assertions.ts'
import type { OutageCalls } from '../describe-outages.ts'
import type { RecordBench } from './record-bench.ts'

/** Every method of record stores while the backend fails. */
export async function prepareRecordOutages({ store, other, ...bench }: RecordBench): Promise<OutageCalls<RecordStore>> {
  const [called, replaced, touched, removed] = await bench.insertMany(4)
  const owned = await bench.insert()
  const inserted = bench.newRecord()
  if (!called || !replaced || !touched || !removed) throw new Error('four records must have been inserted')
  const left = (record: StoredRecord, what: string) => async () =>
    same(await other.get(record.key), record, `the record of the failed ${what}`)
  return {
    callsOf: (client) => callsOf(client, called),
    changes: {
      insert: {
        call: () => store.insert(inserted),
        checkUndone: async () => same(await other.get(inserted.key), null, 'the record of the failed insert'),
      },
      replace: {
        call: () => store.replace(replaced, { ...replaced, value: 'late' }),
        checkUndone: left(replaced, 'replace'),
      },
      touch: { call: () => store.touch(touched, touched.expiresAt + 1000), checkUndone: left(touched, 'touch') },
      remove: { call: () => store.remove(removed.key), checkUndone: left(removed, 'remove') },
      removeByOwner: {
        call: () => store.removeByOwner(owned.owner ?? ''),
        checkUndone: async () => same(await bench.list(owned.owner ?? ''), [owned], 'the records of the owner'),
      },
    },
  }
}

function callsOf(store: RecordStore, record: StoredRecord): Record<string, () => Promise<unknown>> {
  const { key, owner } = record
  const fresh: NewRecord = { ...record, key: `${key}_2` }
  return {
    get: () => store.get(key),
    insert: () => store.insert(fresh),
    replace: () => store.replace(record, record),
    touch: () => store.touch(record, record.expiresAt),
    remove: () => store.remove(key),
    listByOwner: () => store.listByOwner(owner ?? ''),
    removeByOwner: () => store.removeByOwner(owner ?? ''),
    ...(store.sweep && { sweep: async () => store.sweep?.(1) }),
  }
}
