import type { RecordStore } from '../../record-store.ts'
import { anyText } from '../any-text.ts'
import { holds, same } from '../assertions.ts'
import { readPages } from '../read-pages.ts'
import type { TestTable } from '../test-runner.ts'
import { keysOf, type RecordBench } from './record-bench.ts'

/** More than an 8-bit column of versions holds, signed or not. */
const manyVersions = 260
/** The greatest numbers of 8, 16 and 32 bits, signed and not. */
const lastVersions = [127, 255, 32_767, 65_535, 2_147_483_647, 4_294_967_295]
/** More than the limit of a page, a batch or a scan in most databases. */
const manyRecords = 1050
/** The number of records of an owner for which a late second removal could report completion too early. */
const batchedRecords = 2050

export const recordLimits: TestTable<RecordBench> = {
  'a key of 512 bytes is kept whole': async ({ store, other, newRecord }) => {
    for (const [what, text] of longTexts(newRecord().key)) {
      const record = newRecord({ key: text })
      same(await store.insert(record), true, `insert of a key of 512 bytes, ${what}`)
      sameLength((await other.get(text))?.key, text, `the key, ${what}`)
      same(await other.get(text.slice(0, -1)), null, `a key that is one character shorter, ${what}`)
      same(await store.remove(text), true, `remove of a key of 512 bytes, ${what}`)
    }
  },

  'a key of 513 bytes is kept whole or rejected, never cut': async ({ store, other, newRecord }) => {
    const start = newRecord().key.padEnd(512, 'x')
    const record = newRecord({ key: `${start}y` })
    if (!(await store.insert(record).catch(() => false))) return
    sameLength((await other.get(record.key))?.key, record.key, 'the key')
    same(await other.get(`${start}z`), null, 'a key with another last character')
    same(await store.remove(`${start}z`), false, 'remove of the other key')
    same(await store.remove(record.key), true, 'remove of the key')
  },

  'every character of a value and an owner is kept': async ({ store, other, insert, newOwner }) => {
    const owner = `${newOwner()}${anyText}`
    const record = await insert({ owner, value: anyText })
    same(await other.get(record.key), record, 'get of a record with every kind of character')
    const next = { value: `${anyText}2`, expiresAt: record.expiresAt }
    same(await store.replace(record, next), true, 'replace of a record with every kind of character')
    same((await other.listByOwner(owner)).items, [{ ...record, ...next, version: 2 }], 'listByOwner, after the replace')
  },

  'NUL in an owner is kept or rejected, never cut': async ({ store, other, newRecord }) => {
    const record = newRecord()
    const before = record.owner ?? ''
    const owner = `${before}\0after`
    const isStored = await store.insert({ ...record, owner }).catch(() => false)
    same((await other.get(record.key))?.owner ?? null, isStored ? owner : null, 'the owner with NUL in it')
    same((await other.listByOwner(before)).items, [], 'listByOwner of the text before NUL')
  },

  'NUL in a value is kept or rejected, never cut': async ({ store, other, insert, newRecord }) => {
    const record = newRecord({ value: 'before\0after' })
    const isStored = await store.insert(record).catch(() => false)
    same(await other.get(record.key), isStored ? { ...record, version: 1 } : null, 'a record with NUL in its value')
    const old = await insert()
    const { expiresAt, value } = record
    const isReplaced = await store.replace(old, { expiresAt, value }).catch(() => false)
    const stored = isReplaced ? { ...old, expiresAt, value, version: 2 } : old
    same(await other.get(old.key), stored, 'a record after a replace with NUL')
  },

  'an owner of 512 bytes is kept whole': async ({ store, other, insert, newOwner }) => {
    for (const [what, text] of longTexts(newOwner())) {
      const record = await insert({ owner: text })
      sameLength((await other.get(record.key))?.owner, text, `the owner, ${what}`)
      same((await other.listByOwner(text)).items, [record], `the listing of an owner of 512 bytes, ${what}`)
      same(await store.removeByOwner(text.slice(0, -1)), 0, `the count of an owner one character shorter, ${what}`)
      same(await store.removeByOwner(text), 1, `the count of an owner of 512 bytes, ${what}`)
    }
  },

  'values of every length up to 1 MB come back whole': async ({ other, store, insert }) => {
    for (const length of [255, 256, 65_535, 65_536, 1_000_000, 1_048_576]) {
      const value = 'x'.repeat(length - 1).concat('y')
      const { key } = await insert({ value })
      sameLength((await other.get(key))?.value, value, 'the value')
      await store.remove(key)
    }
  },

  'a record may be replaced hundreds of times': async ({ store, other, insert }) => {
    const record = await insert()
    for (let version = 1; version <= manyVersions; version++) {
      same(await store.replace({ ...record, version }, record), true, `replace of version ${version}`)
    }
    same(await other.get(record.key), { ...record, version: manyVersions + 1 }, 'the record')
  },

  'a listing and a removal go beyond 1,000 records': async ({ insertMany, newOwner, list, store }) => {
    const owner = newOwner()
    const records = await insertMany(manyRecords, { owner })
    const found = keysOf(await list(owner))
    same(found.length, records.length, 'the number of listed records')
    holds(String(found) === String(keysOf(records)), 'every record must be listed once')
    same(await store.removeByOwner(owner), manyRecords, 'the count of removeByOwner')
  },

  'removeByOwner, four times at once, ends when none is left': async ({ insertMany, newOwner, race }) => {
    const owner = newOwner()
    await insertMany(batchedRecords, { owner })
    const calls = await race(4, async (client) => {
      const count = await client.removeByOwner(owner)
      return { count, isDone: await isEmpty(client, owner) }
    })
    holds(
      calls.every(({ isDone }) => isDone),
      'no call may end before another one has removed the rest',
    )
    same(
      calls.reduce((sum, { count }) => sum + count, 0),
      batchedRecords,
      'the sum of the counts',
    )
  },
}

/** They need the version of a record to be set in the backend. */
export const recordVersions: TestTable<RecordBench> = {
  'a version has more than 32 bits': async ({ store, other, insert, setVersion }) => {
    const record = await insert()
    for (const version of lastVersions) {
      if (!(await setVersion(record.key, version))) throw new Error('"setVersion" must be given')
      const last = { ...record, version }
      same(await other.get(record.key), last, `the record of version ${version}`)
      same(await store.replace(last, record), true, `replace of version ${version}`)
      same(await other.get(record.key), { ...record, version: version + 1 }, `the record after version ${version}`)
      same(await other.replace(last, record), false, `a second replace of version ${version}`)
    }
  },
}

/** Texts of 512 bytes of UTF-8 that begin with this one. */
function longTexts(fresh: string): readonly (readonly [what: string, text: string])[] {
  const rest = 512 - fresh.length - 1
  const wide = `${'😀'.repeat(rest / 4)}${'x'.repeat(rest % 4)}`
  return [
    ['in ASCII', `${fresh}${'x'.repeat(rest)}y`],
    ['in characters of 4 bytes', `${fresh}${wide}y`],
  ]
}

/** A page may be empty although there is more. */
async function isEmpty(store: RecordStore, owner: string): Promise<boolean> {
  const left = await readPages('listByOwner', 100, (page) => store.listByOwner(owner, page))
  return left.length === 0
}

function sameLength(actual: string | null | undefined, expected: string, what: string): void {
  const length = actual?.length ?? 'no'
  holds(
    actual === expected,
    `${what} must be that of the insert: expected ${expected.length} characters, got ${length}`,
  )
}
