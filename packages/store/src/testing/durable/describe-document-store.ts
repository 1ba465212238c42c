import type { DocumentStore, StoredDocument } from '../../document-store.ts'
import { holds, same } from '../assertions.ts'
import type { OutageCalls } from '../describe-outages.ts'
import { raceInSteps, withHistories } from '../history/record-calls.ts'
import type { StoreKit } from '../store-kit.ts'
import type { TestTable } from '../test-runner.ts'
import { documentIdentity, documentLimits } from './document-limits.ts'
import { documentListing } from './document-listing.ts'
import { documentModel } from './document-model.ts'
import { documentPaging } from './document-paging.ts'
import { inCollection, insertFresh, newDocument } from './fresh-documents.ts'
import { type DurableBench, describeDurable, fresh, isOwnCopy, race, spoil, winnerOf } from './kit-bench.ts'

/**
 * Describes the whole contract of `DocumentStore` as tests of a runner: each insert, swap and removal has one winner, ids are
 * compared byte for byte, and no listing omits a document.
 *
 * @example
 * import { describe, test } from 'node:test'
 * import { createMemoryDocumentStore } from '@latchkey/store'
 * import { describeDocumentStore } from '@latchkey/store/testing'
 * const store = createMemoryDocumentStore()
 * describeDocumentStore({ describe, test, createStore: () => store })
 */
export function describeDocumentStore(kit: StoreKit<DocumentStore>): void {
  const tables = {
    contract: documentContract,
    winners: withHistories(documentWinners, documentModel),
    identity: documentIdentity,
    limits: documentLimits,
    listing: withHistories(documentListing, documentModel),
    paging: withHistories(documentPaging, documentModel),
  }
  const probe = (client: DocumentStore) => client.get(inCollection, 'kit_unknown')
  describeDurable('document store', kit, { tables, prepareOutages, probe })
}

async function prepareOutages({ store, other }: DurableBench<DocumentStore>): Promise<OutageCalls<DocumentStore>> {
  const [called, replaced, removed] = [await insertFresh(store), await insertFresh(store), await insertFresh(store)]
  const [emptied, inserted] = [await insertFresh(store, { owner: fresh('acc') }), newDocument()]
  const owner = emptied.owner ?? ''
  const left = (document: StoredDocument, what: string) => async () =>
    same(await other.get(inCollection, document.id), document, `the document of the failed ${what}`)
  return {
    callsOf: (client) => ({
      insert: () => client.insert(newDocument()),
      get: () => client.get(inCollection, called.id),
      replace: () => client.replace(called, { version: 'v2', value: 'second' }),
      remove: () => client.remove(called),
      list: () => client.list(inCollection, { limit: 1 }),
      listByOwner: () => client.listByOwner(owner),
      removeByOwner: () => client.removeByOwner(owner),
    }),
    changes: {
      insert: {
        call: () => store.insert(inserted),
        checkUndone: async () => same(await other.get(inCollection, inserted.id), null, 'the failed insert'),
      },
      replace: {
        call: () => store.replace(replaced, { version: 'v2', value: 'late' }),
        checkUndone: left(replaced, 'replace'),
      },
      remove: { call: () => store.remove(removed), checkUndone: left(removed, 'remove') },
      removeByOwner: { call: () => store.removeByOwner(owner), checkUndone: left(emptied, 'removeByOwner') },
    },
  }
}

const documentContract: TestTable<DurableBench<DocumentStore>> = {
  'the store names this version of the contract, and is strongly consistent': async ({ store }) => {
    same(store.capabilities.contract, 1, 'capabilities.contract')
    same(store.capabilities.consistency, 'strong', 'capabilities.consistency')
  },

  'an inserted document is read by its collection and id': async ({ store, other }) => {
    for (const owner of [null, fresh('acc')]) {
      const document = await insertFresh(store, { owner })
      same(await other.get(inCollection, document.id), document, 'get of an inserted document')
      same(await other.get('kit-other', document.id), null, 'get in another collection')
      await isOwnCopy(() => store.get(inCollection, document.id))
    }
  },

  'insert never overwrites, and one id may be in two collections': async ({ store, other }) => {
    const document = await insertFresh(store)
    const again = { ...document, owner: fresh('acc'), version: 'v2', value: 'second' }
    same(await other.insert(again), false, 'insert of an id that exists')
    same(await other.get(inCollection, document.id), document, 'the document after a failed insert')
    const twin = { ...again, collection: 'kit-other' }
    same(await other.insert(twin), true, 'insert of the id in another collection')
    same(await store.get(inCollection, document.id), document, 'the document in the first collection')
    same(await store.remove(twin), true, 'remove in the other collection')
    same(await other.get(inCollection, document.id), document, 'the document after a removal in the other collection')
  },

  'changing an object that was inserted changes no document': async ({ store, other }) => {
    const document = newDocument({ owner: fresh('acc') })
    const given = { ...document }
    await store.insert(given)
    spoil(given)
    same(await other.get(inCollection, document.id), document, 'the document')
    same((await other.listByOwner(document.owner ?? '')).items, [document], 'the documents of its owner')
  },

  'replace swaps the current version only, and never creates': async ({ store, other }) => {
    const document = await insertFresh(store, { owner: fresh('acc') })
    const { id } = document
    same(await other.replace({ ...document, version: 'v0' }, { version: 'v2', value: 'x' }), false, 'replace of v0')
    same(await other.get(inCollection, id), document, 'the document after a failed replace')
    same(await other.replace(document, { version: 'v2', value: 'first' }), true, 'replace by the same value')
    const second = { ...document, version: 'v2' }
    same(await store.get(inCollection, id), second, 'the document after a replace: same owner, new version')
    same(await store.replace(document, { version: 'v3', value: 'x' }), false, 'replace of a version that was replaced')
    await isOwnCopy(() => store.get(inCollection, id))
    holds(await store.remove(second), 'remove of the current version must be true')
    same(await other.replace(second, { version: 'v3', value: 'late' }), false, 'replace of a removed document')
    same(await other.get(inCollection, id), null, 'the removed document')
  },

  'remove with a version removes this version only': async ({ store, other }) => {
    const document = await insertFresh(store)
    const { id } = document
    same(await other.remove({ collection: inCollection, id, version: 'v0' }), false, 'remove of another version')
    same(await other.get(inCollection, id), document, 'the document after a failed remove')
    same(await other.remove({ collection: inCollection, id }), true, 'remove without a version')
    same(await store.remove({ collection: inCollection, id }), false, 'remove of an absent document')
    for (const client of [store, other]) {
      same(await client.insert(document), true, 'insert of an id that was removed')
      same(await store.remove(document), true, 'remove of what was inserted again')
    }
  },

  'what is done to one document is done to no other': async ({ store, other }) => {
    const owner = fresh('acc')
    const [document, neighbour] = [await insertFresh(store, { owner }), await insertFresh(store, { owner })]
    await store.replace(document, { version: 'v2', value: 'second' })
    same(await other.get(inCollection, neighbour.id), neighbour, 'another document, after a replace')
    await store.remove({ collection: inCollection, id: document.id })
    same(await other.get(inCollection, neighbour.id), neighbour, 'another document, after a remove')
  },
}

const documentWinners: TestTable<DurableBench<DocumentStore>> = {
  'of parallel inserts of one id exactly one wins': async (bench) => {
    const document = newDocument()
    const insert = (client: DocumentStore, index: number) => client.insert({ ...document, value: `caller ${index}` })
    const winner = winnerOf(await race(bench, insert))
    same((await bench.store.get(inCollection, document.id))?.value, `caller ${winner}`, 'the value of the winner')
  },

  'of parallel replaces of one version exactly one wins': async (bench) => {
    const document = await insertFresh(bench.store)
    const replace = (client: DocumentStore, index: number) =>
      client.replace(document, { version: `v${index}b`, value: `caller ${index}` })
    const winner = winnerOf(await race(bench, replace))
    const stored = { ...document, version: `v${winner}b`, value: `caller ${winner}` }
    same(await bench.other.get(inCollection, document.id), stored, 'the document of the winner')
  },

  'of parallel removes exactly one wins, with a version and without': async (bench) => {
    const { version, ...document } = await insertFresh(bench.store)
    winnerOf(await race(bench, (client) => client.remove(document)))
    const versioned = await insertFresh(bench.store, { version })
    winnerOf(await race(bench, (client) => client.remove(versioned)))
    same(await bench.other.get(inCollection, versioned.id), null, 'the removed document')
  },

  'of a replace and a remove of one version at once exactly one wins': async (bench) => {
    for (let round = 0; round < 10; round++) {
      const document = await insertFresh(bench.store)
      const outcomes = await race(bench, (client, index) =>
        index % 3 ? client.replace(document, { version: `v${index}b`, value: 'second' }) : client.remove(document),
      )
      const isRemoved = winnerOf(outcomes) % 3 === 0
      same((await bench.other.get(inCollection, document.id)) === null, isRemoved, 'whether the document is absent')
    }
  },

  'reads beside changes of one document fit one order': async (bench) => {
    for (let round = 0; round < 5; round++) {
      const first = await insertFresh(bench.store)
      const { version: _any, ...name } = first
      type Read = StoredDocument | null
      await raceInSteps<DocumentStore, Read>(bench, { round, first }, async (client, caller, step, last) => {
        const next = { version: `v${caller}-${step}`, value: `caller ${caller}` }
        const current = [last, step > 1 ? last : null, first][caller]
        if (current) await client.replace(current, next)
        if (caller === 3 && step > 1) await (last ? client.remove(name) : client.insert({ ...first, ...next }))
        return client.get(first.collection, first.id)
      })
      await bench.store.remove(name)
    }
  },
}
