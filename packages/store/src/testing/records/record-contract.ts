import { holds, same } from '../assertions.ts'
import type { TestTable } from '../test-runner.ts'
import type { RecordBench } from './record-bench.ts'

export const recordContract: TestTable<RecordBench> = {
  'an inserted record has version 1 and is read by every client': async ({ store, other, newRecord }) => {
    const record = newRecord()
    holds(await store.insert(record), 'insert of a fresh key must be true')
    same(await store.get(record.key), { ...record, version: 1 }, 'the record, to the client that inserted it')
    same(await other.get(record.key), { ...record, version: 1 }, 'the record, to another client')
  },

  'an unknown key is null, and asking creates nothing': async ({ store, newRecord }) => {
    const record = newRecord()
    same(await store.get(record.key), null, 'get of an unknown key')
    same(await store.remove(record.key), false, 'remove of an unknown key')
    same(await store.get(record.key), null, 'the key afterwards')
  },

  'insert never overwrites, and a refused insert removes nothing': async ({ other, insert, newOwner, list }) => {
    const record = await insert({})
    const intruder = { ...record, owner: newOwner(), value: 'second' }
    same(await other.insert(intruder), false, 'insert of a key that exists')
    same(await other.get(record.key), record, 'the record that was there')
    same(await list(record.owner ?? ''), [record], 'the listing of its owner')
    same(await list(intruder.owner), [], 'the listing of the owner that was refused')
  },

  'replace swaps value and expiry, adds one to the version and leaves the owner': async ({ store, other, insert }) => {
    const record = await insert()
    const next = { value: 'second', expiresAt: record.expiresAt + 1000 }
    same(await other.replace(record, next), true, 'replace of the current version')
    same(await store.get(record.key), { ...record, ...next, version: 2 }, 'the replaced record')
    same(await store.replace({ ...record, version: 2 }, { ...next, value: 'third' }), true, 'replace of version 2')
    same(await other.get(record.key), { ...record, ...next, value: 'third', version: 3 }, 'the record after both')
  },

  'replace of an earlier version changes nothing': async ({ store, other, insert }) => {
    const record = await insert()
    await store.replace(record, { ...record, value: 'second' })
    same(await other.replace(record, { ...record, value: 'late' }), false, 'replace of version 1')
    same(await other.replace({ ...record, version: 3 }, { ...record, value: 'early' }), false, 'replace of version 3')
    same(await store.get(record.key), { ...record, value: 'second', version: 2 }, 'the record')
  },

  'replace never creates': async ({ store, other, insert, newRecord, list }) => {
    const unknown = { ...newRecord(), version: 1 }
    same(await store.replace(unknown, { ...unknown, value: 'second' }), false, 'replace of an unknown key')
    same(await store.replace({ ...unknown, version: 0 }, unknown), false, 'replace of version 0 of an unknown key')
    same(await store.get(unknown.key), null, 'the unknown key afterwards')
    const record = await insert()
    await other.remove(record.key)
    same(await store.replace(record, { ...record, value: 'second' }), false, 'replace of a removed record')
    same(await store.get(record.key), null, 'the removed record afterwards')
    same(await list(record.owner ?? ''), [], 'the listing of its owner')
  },

  'touch moves the expiry and nothing else': async ({ store, other, insert, list }) => {
    const record = await insert()
    const expiresAt = record.expiresAt + 60_000
    same(await other.touch(record, expiresAt), true, 'touch of a record')
    same(await store.get(record.key), { ...record, expiresAt }, 'the touched record')
    same(await list(record.owner ?? ''), [{ ...record, expiresAt }], 'the listing of its owner')
  },

  'a touch or a replace that changes nothing is true': async ({ store, other, insert }) => {
    const record = await insert()
    same(await store.touch(record, record.expiresAt), true, 'touch with the expiry that the record has')
    same(await other.touch(record, record.expiresAt), true, 'the same touch again')
    same(await store.replace(record, record), true, 'replace with the value and expiry that the record has')
  },

  'touch never creates': async ({ store, other, insert, newRecord, list }) => {
    const unknown = newRecord()
    same(await store.touch(unknown, unknown.expiresAt), false, 'touch of an unknown key')
    same(await store.get(unknown.key), null, 'the unknown key afterwards')
    const record = await insert()
    await other.remove(record.key)
    same(await store.touch(record, record.expiresAt + 1000), false, 'touch of a removed record')
    same(await store.get(record.key), null, 'the removed record afterwards')
    same(await list(record.owner ?? ''), [], 'the listing of its owner')
  },

  'a touch does not use up the version': async ({ store, other, insert }) => {
    const record = await insert()
    await other.touch(record, record.expiresAt + 1000)
    same(await store.replace(record, { ...record, value: 'second' }), true, 'replace of version 1 after a touch')
  },

  'remove is true once, and only its own record goes': async ({ store, other, insert, list }) => {
    const record = await insert()
    const neighbour = await insert({ owner: record.owner })
    same(await store.remove(record.key), true, 'the first remove')
    same(await other.remove(record.key), false, 'the second remove')
    same(await other.get(record.key), null, 'the removed record')
    same(await list(record.owner ?? ''), [neighbour], 'the listing of its owner')
  },

  'a record without an owner is read, replaced and removed like any other': async ({ store, other, insert }) => {
    const record = await insert({ owner: null })
    same(await other.get(record.key), record, 'the record')
    same(await other.touch(record, record.expiresAt + 1), true, 'touch')
    same(await store.replace(record, { ...record, value: 'second' }), true, 'replace')
    same(await other.get(record.key), { ...record, value: 'second', version: 2 }, 'the replaced record')
    same(await other.remove(record.key), true, 'remove')
  },

  'a value of 1 MB is returned unchanged': async ({ store, other, insert }) => {
    const value = 'latchkey-'.repeat(116_509).slice(0, 1_048_576)
    const record = await insert({ value })
    holds((await other.get(record.key))?.value === value, 'the inserted value must come back')
    await store.replace(record, { ...record, value: `+${value.slice(1)}` })
    holds((await other.get(record.key))?.value === `+${value.slice(1)}`, 'the replaced value must come back')
    await other.remove(record.key)
  },

  'any text may be a value': async ({ other, insert }) => {
    for (const value of ['', ' ', 'null', '0', '{"a":[1]}', '\u00e9 e\u0301 😀', '\'"`\\\n\r\t$1 ?1 %s :x']) {
      const { key } = await insert({ value })
      const record = await other.get(key)
      holds(record !== null, 'a record that was just inserted must be there for every client')
      same(record?.value, value, 'the value')
    }
  },
}
