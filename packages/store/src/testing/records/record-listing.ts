import { holds, same } from '../assertions.ts'
import { confusablePairs } from '../confusable-pairs.ts'
import type { TestTable } from '../test-runner.ts'
import { keysOf, type RecordBench } from './record-bench.ts'

export const recordListing: TestTable<RecordBench> = {
  'a listing has every record of the owner and no other': async ({ insert, insertMany, newOwner, list }) => {
    const owner = newOwner()
    const records = await insertMany(5, { owner })
    for (const stranger of [`${owner}0`, `${owner}:`, owner.slice(0, -1), null]) await insert({ owner: stranger })
    same(keysOf(await list(owner)), keysOf(records), 'the keys of the owner')
    same(await list(newOwner()), [], 'the listing of an unknown owner')
  },

  'the pages of a listing are complete and repeat nothing': async ({ insertMany, newOwner, list }) => {
    const owner = newOwner()
    const records = await insertMany(10, { owner })
    for (const limit of [1, 3, 5, 10, 11]) {
      same(keysOf(await list(owner, limit)), keysOf(records), `the keys, in pages of ${limit}`)
    }
  },

  'a page has at most 100 records by default': async ({ store, insertMany, newOwner, list }) => {
    const owner = newOwner()
    const records = await insertMany(105, { owner })
    const first = await store.listByOwner(owner)
    holds(first.items.length <= 100, 'a page must have at most 100 records')
    holds(first.cursor !== undefined, 'there must be a cursor while there is more')
    same(keysOf(await list(owner)), keysOf(records), 'the keys over all pages')
  },

  'a listing goes on after records of its earlier pages are removed': async ({ store, insertMany, newOwner }) => {
    const owner = newOwner()
    const records = await insertMany(6, { owner })
    const first = await store.listByOwner(owner, { limit: 3 })
    for (const { key } of first.items) await store.remove(key)
    const { cursor } = first
    const rest = cursor === undefined ? [] : (await store.listByOwner(owner, { cursor })).items
    same(keysOf([...first.items, ...rest]), keysOf(records), 'the keys of both pages')
  },

  'removeByOwner removes all records of the owner and no other, and counts them': async (bench) => {
    const { store, other, insert, insertMany, newOwner, list } = bench
    const owner = newOwner()
    const records = await insertMany(5, { owner })
    const strangers = [await insert({ owner: `${owner}0` }), await insert({ owner: null })]
    same(await store.removeByOwner(owner), 5, 'the count')
    same(await list(owner), [], 'the listing afterwards')
    for (const { key } of records) same(await other.get(key), null, 'a removed record')
    for (const stranger of strangers) same(await other.get(stranger.key), stranger, 'a record of somebody else')
    same(await other.removeByOwner(owner), 0, 'the count when nothing is left')
  },

  'removeByOwner keeps the record named by except': async ({ store, insertMany, newOwner, list }) => {
    const owner = newOwner()
    const [spared, ...others] = await insertMany(4, { owner })
    same(await store.removeByOwner(owner, { except: spared?.key ?? '' }), others.length, 'the count')
    same(await list(owner), [spared], 'the listing afterwards')
    same(await store.removeByOwner(owner, { except: 'kit_unknown' }), 1, 'the count with an unknown exception')
  },

  'removeByOwner reaches beyond the first page': async ({ store, insertMany, newOwner, list }) => {
    const owner = newOwner()
    await insertMany(130, { owner })
    same(await store.removeByOwner(owner), 130, 'the count')
    same(await list(owner), [], 'the listing afterwards')
  },

  'owners that look alike are kept apart': async ({ store, other, insert, list }) => {
    for (const [what, owner, twin] of confusablePairs()) {
      for (const name of [owner, twin]) await store.removeByOwner(name)
      const [mine, theirs] = [await insert({ owner }), await insert({ owner: twin })]
      same(await list(owner), [mine], `the listing of an owner with ${what}`)
      same(await other.removeByOwner(owner), 1, `the count of an owner with ${what}`)
      same(await list(twin), [theirs], `the listing of the other owner, with ${what}`)
      await store.removeByOwner(twin)
    }
  },

  'keys that look alike are kept apart': async ({ store, other, newRecord }) => {
    for (const [what, key, twin] of confusablePairs()) {
      for (const name of [key, twin]) await store.remove(name)
      const [mine, theirs] = [newRecord({ key }), newRecord({ key: twin })]
      same(await store.get(key), null, `a key with ${what}, before the insert`)
      same([await store.insert(mine), await store.insert(theirs)], [true, true], `inserts of keys with ${what}`)
      same(await store.touch(mine, mine.expiresAt + 1), true, `touch of a key with ${what}`)
      same(await other.remove(key), true, `remove of a key with ${what}`)
      same(await other.get(twin), { ...theirs, version: 1 }, `the other key, with ${what}`)
      await store.remove(twin)
    }
  },
}
