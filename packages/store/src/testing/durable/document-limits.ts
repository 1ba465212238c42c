import type { DocumentStore } from '../../document-store.ts'
import { same } from '../assertions.ts'
import { confusablePairs } from '../confusable-pairs.ts'
import type { TestTable } from '../test-runner.ts'
import { inCollection, insertFresh } from './fresh-documents.ts'
import { type DurableBench, fresh } from './kit-bench.ts'

/** Names that look alike are different ones. */
export const documentIdentity: TestTable<DurableBench<DocumentStore>> = {
  'ids that look alike are kept apart': async ({ store, other }) => {
    for (const [what, id, twin] of confusablePairs()) {
      for (const one of [id, twin]) await store.remove({ collection: inCollection, id: one })
      const [mine, theirs] = [await insertFresh(store, { id }), await insertFresh(other, { id: twin, value: 'twin' })]
      same(await other.get(inCollection, id), mine, `get of an id with ${what}`)
      same(await other.replace(mine, { version: 'v2', value: 'second' }), true, `replace of an id with ${what}`)
      same(await other.get(inCollection, twin), theirs, `the other document after a replace, with ${what}`)
      same(await other.remove({ collection: inCollection, id }), true, `remove of an id with ${what}`)
      same(await store.get(inCollection, twin), theirs, `the other document after a remove, with ${what}`)
      await store.remove(theirs)
    }
  },

  'owners that look alike are kept apart': async ({ store, other }) => {
    for (const [what, owner, twin] of confusablePairs()) {
      for (const one of [owner, twin]) await store.removeByOwner(one)
      const own = await insertFresh(store, { owner })
      same((await other.listByOwner(twin)).items, [], `listByOwner of the other owner, with ${what}`)
      same(await other.removeByOwner(twin), 0, `removeByOwner of the other owner, with ${what}`)
      same((await other.listByOwner(owner)).items, [own], `listByOwner of an owner with ${what}`)
      await store.removeByOwner(owner)
    }
  },

  'versions are compared letter by letter': async ({ store, other }) => {
    for (const [what, version, twin] of confusablePairs()) {
      const document = await insertFresh(store, { version })
      const stale = { ...document, version: twin }
      same(await other.replace(stale, { version: 'v2', value: 'x' }), false, `replace of a version with ${what}`)
      same(await other.remove(stale), false, `remove of a version with ${what}`)
      same(await store.remove(document), true, `remove of the stored version with ${what}`)
    }
  },
}

/** The longest names and values, and every character. */
export const documentLimits: TestTable<DurableBench<DocumentStore>> = {
  'an id of 512 bytes and a collection of 64 characters are stored whole': async ({ store, other }) => {
    const start = fresh('doc').padEnd(31, 'x')
    const collection = 'k'.repeat(63)
    for (const last of ['y', 'z']) {
      const id = `${start}${'\u00e9'.repeat(240)}${last}`
      const document = await insertFresh(store, { id, collection: `${collection}${last}` })
      same(await other.get(`${collection}${last}`, id), document, 'get of the longest id')
      same(await other.remove(document), true, 'remove of the longest id')
    }
  },

  'a value of 256 kB is stored whole, by insert and by replace': async ({ store, other }) => {
    const value = `${'x'.repeat(256_000 - 3)}end`
    const document = await insertFresh(store, { value })
    same((await other.get(inCollection, document.id))?.value.length, value.length, 'the length of an inserted value')
    await store.replace(document, { version: 'v2', value: `${value.slice(1)}2` })
    same((await other.get(inCollection, document.id))?.value.slice(-4), 'end2', 'the end of a replaced value')
    await store.remove({ collection: inCollection, id: document.id })
  },

  'every character survives insert and replace': async ({ store, other }) => {
    for (const text of [
      '\u00e4\u00f6\u00fc\u00df',
      '\u4e2d\u6587',
      '\u{1f600}',
      'e\u0301',
      ' \t\r\n',
      '{"a":"\\u0000"}',
      '\'"\\%_',
    ]) {
      const document = await insertFresh(store, { value: text, owner: `${fresh('acc')}${text}` })
      same(await other.get(inCollection, document.id), document, `a document with ${JSON.stringify(text)}`)
      await store.replace(document, { version: 'v2', value: `${text}2` })
      const stored = { ...document, version: 'v2', value: `${text}2` }
      same(await other.get(inCollection, document.id), stored, `a replaced document with ${JSON.stringify(text)}`)
      await store.remove(stored)
    }
  },
}
