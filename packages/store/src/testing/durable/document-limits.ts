import type { DocumentStore } from '../../document-store.ts'
import { anyText } from '../any-text.ts'
import { holds, same } from '../assertions.ts'
import { confusablePairs } from '../confusable-pairs.ts'
import type { TestTable } from '../test-runner.ts'
import { inCollection, insertFresh, newDocument } from './fresh-documents.ts'
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

  'a collection and an id are two texts': async ({ store, other }) => {
    for (const between of ['', '-']) {
      const id = fresh('doc')
      const document = await insertFresh(store, { collection: 'kit-a', id: `b${between}${id}` })
      const twin = await insertFresh(other, { collection: `kit-a${between}b`, id, value: 'twin' })
      same(await other.get('kit-a', document.id), document, `get beside kit-a${between}b`)
      same(await store.remove(twin), true, `remove in kit-a${between}b`)
      same(await other.get('kit-a', document.id), document, `the document after a remove in kit-a${between}b`)
      await store.remove(document)
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
      same(
        await other.get(`${collection}${last}`, `${id.slice(0, -1)}x`),
        null,
        'get of an id with another last character',
      )
      same(await other.remove(document), true, 'remove of the longest id')
    }
  },

  'an owner of 512 bytes is stored whole': async ({ store, other }) => {
    const [owner, shorter] = longTwins(512)
    const document = await insertFresh(store, { owner })
    holds((await other.get(inCollection, document.id))?.owner === owner, 'get must return the whole owner')
    same((await other.listByOwner(owner)).items.length, 1, 'the documents of the owner')
    same(await store.removeByOwner(shorter), 0, 'removeByOwner of an owner with another last character')
    same(await store.removeByOwner(owner), 1, 'removeByOwner of the owner')
  },

  'an id of 513 bytes is stored whole or rejected, never cut': async ({ store, other }) => {
    const [id, twin] = longTwins(513)
    if (!(await isStored(() => store.insert(newDocument({ id }))))) return
    holds((await other.get(inCollection, id))?.id === id, 'get must return the whole id')
    same(await other.get(inCollection, twin), null, 'get of an id with another last character')
    same(await store.remove({ collection: inCollection, id: twin }), false, 'remove of the other id')
    same(await other.remove({ collection: inCollection, id }), true, 'remove of the id')
  },

  'a longer value is stored whole or rejected, never cut': async ({ store, other }) => {
    const long = (end: string) => `${'x'.repeat(256_000)}${end}`
    const document = newDocument({ value: long('1') })
    if (!(await isStored(() => store.insert(document)))) return
    holds((await other.get(inCollection, document.id))?.value === document.value, 'get must return the whole value')
    const next = { version: 'v2', value: long('2') }
    const isReplaced = await isStored(() => store.replace(document, next))
    const { value } = isReplaced ? next : document
    holds((await other.get(inCollection, document.id))?.value === value, 'get must return the last whole value')
    await store.remove({ collection: inCollection, id: document.id })
  },

  'NUL is stored or rejected, never cut': async ({ store, other }) => {
    for (const member of ['value', 'id', 'owner', 'version'] as const) {
      const text = `${fresh('nul')}\0after`
      const document = newDocument({ [member]: text })
      if (await isStored(() => store.insert(document))) {
        same(await other.get(inCollection, document.id), document, `a document with NUL in its ${member}`)
        const before = text.split('\0', 1)[0] ?? ''
        same(await store.get(inCollection, before), null, 'get of the text before NUL')
        same((await other.listByOwner(before)).items, [], 'listByOwner of the text before NUL')
        await store.remove({ collection: inCollection, id: document.id })
      } else {
        same(
          (await other.list(inCollection)).items.filter(({ id }) => id === document.id),
          [],
          'a rejected document',
        )
      }
    }
    const document = await insertFresh(store)
    const next = { version: 'v2', value: 'before\0after' }
    const isReplaced = await store.replace(document, next).catch(() => false)
    const stored = isReplaced ? { ...document, ...next } : document
    same(await other.get(inCollection, document.id), stored, 'a document after a replace with NUL')
    await store.remove({ collection: inCollection, id: document.id })
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
    for (const text of [anyText, ' \t\r\n', '']) {
      const document = await insertFresh(store, { value: text, owner: `${fresh('acc')}${text}` })
      same(await other.get(inCollection, document.id), document, `a document with ${JSON.stringify(text)}`)
      await store.replace(document, { version: 'v2', value: `${text}2` })
      const stored = { ...document, version: 'v2', value: `${text}2` }
      same(await other.get(inCollection, document.id), stored, `a replaced document with ${JSON.stringify(text)}`)
      await store.remove(stored)
    }
  },
}

/** Returns two texts of this length in bytes of UTF-8 that differ in the last character. */
function longTwins(bytes: number): readonly [string, string] {
  const start = fresh('kit').padEnd(bytes - 1, 'x')
  return [`${start}y`, `${start}z`]
}

/** Whether a write was accepted. A store may reject what is longer than the contract demands, or has NUL. */
async function isStored(write: () => Promise<boolean>): Promise<boolean> {
  const outcome = await write().catch(() => null)
  holds(outcome !== false, 'a write that cannot be made must reject: false means that another caller was faster')
  return outcome === true
}
