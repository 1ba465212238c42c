import type { ClientStore, StoredClient } from '../../client-store.ts'
import { holds, same } from '../assertions.ts'
import { confusablePairs } from '../confusable-pairs.ts'
import type { OutageCalls } from '../describe-outages.ts'
import type { TestTable } from '../test-runner.ts'
import {
  type DurableBench,
  type DurableKit,
  describeDurable,
  fresh,
  isOwnCopy,
  race,
  usesNoVersionAgain,
  versionOf,
  winnerOf,
} from './kit-bench.ts'

/** What the kit needs: a runner, and two clients of one backend. */
export interface ClientStoreKit extends DurableKit<ClientStore> {}

/**
 * Describes the whole contract of `ClientStore` as tests of a runner: nothing is overwritten, and each swap and each
 * removal has one winner. Some tests list all clients, so use a backend with few.
 *
 * @example
 * import { describe, test } from 'node:test'
 * import { createMemoryClientStore } from '@latchkey/store'
 * import { describeClientStore } from '@latchkey/store/testing'
 * const store = createMemoryClientStore()
 * describeClientStore({ describe, test, createStore: () => store })
 */
export function describeClientStore(kit: ClientStoreKit): void {
  const tables = { contract: clientContract, listing: clientListing }
  describeDurable('client store', kit, { tables, prepareOutages, probe: (client) => client.get('kit_unknown') })
}

async function prepareOutages({ store, other }: DurableBench<ClientStore>): Promise<OutageCalls<ClientStore>> {
  const [called, replaced, removed] = [await insertFresh(store), await insertFresh(store), await insertFresh(store)]
  const inserted = { id: fresh('client'), value: 'first' }
  const left = (client: StoredClient, what: string) => async () =>
    same(await other.get(client.id), client, `the client of the failed ${what}`)
  return {
    callsOf: (client) => ({
      insert: () => client.insert({ id: fresh('client'), value: 'first' }),
      get: () => client.get(called.id),
      replace: () => client.replace(called.id, called.version, 'second'),
      remove: () => client.remove(called.id),
      list: () => client.list(),
    }),
    changes: {
      insert: {
        call: () => store.insert(inserted),
        checkUndone: async () => same(await other.get(inserted.id), null, 'the client of the failed insert'),
      },
      replace: {
        call: () => store.replace(replaced.id, replaced.version, 'late'),
        checkUndone: left(replaced, 'replace'),
      },
      remove: { call: () => store.remove(removed.id), checkUndone: left(removed, 'remove') },
    },
    cleanUp: async () => {
      for (const { id } of [called, replaced, removed]) await store.remove(id)
    },
  }
}

async function insertFresh(store: ClientStore, id: string = fresh('client')): Promise<StoredClient> {
  const client = { id, value: 'first' }
  holds(await store.insert(client), 'insert of a fresh id must be true')
  return { ...client, version: await versionOf(store, id) }
}

const clientContract: TestTable<DurableBench<ClientStore>> = {
  'an inserted client is read by every client of the store': async ({ store, other }) => {
    const client = await insertFresh(store)
    same([await store.get(client.id), await other.get(client.id)], [client, client], 'the client')
    same(await store.get(client.id.toLowerCase().concat('0')), null, 'an unknown id')
    await isOwnCopy(() => store.get(client.id))
  },

  'insert never overwrites': async ({ store, other }) => {
    const client = await insertFresh(store)
    same(await other.insert({ id: client.id, value: 'second' }), false, 'insert of an id that exists')
    same(await other.get(client.id), client, 'the client that was there')
  },

  'of parallel inserts of one id exactly one wins': async (bench) => {
    const id = fresh('client')
    const winner = winnerOf(await race(bench, (client, index) => client.insert({ id, value: `caller ${index}` })))
    same((await bench.store.get(id))?.value, `caller ${winner}`, 'the value, which is that of the winner')
  },

  'replace swaps the value of the current version only, and never creates': async ({ store, other }) => {
    const { id, version } = await insertFresh(store)
    same(await other.replace(id, version + 1, 'early'), false, 'replace of a version to come')
    same(await store.replace(id, version, 'second'), true, 'replace of the current version')
    same(await other.replace(id, version, 'late'), false, 'a second replace of that version')
    same(await other.get(id), { id, version: version + 1, value: 'second' }, 'the client')
    same(await other.replace(id, version + 1, 'second'), true, 'replace of the next version by the same value')
    same(await store.get(id), { id, version: version + 2, value: 'second' }, 'the client afterwards')
    await isOwnCopy(() => store.get(id))
    await store.remove(id)
    const late = await store.replace(id, version + 2, 'third')
    same([late, await store.get(id)], [false, null], 'replace of a removed client')
  },

  'no version of an id is used again, so that a write from before a removal changes nothing': (bench) =>
    usesNoVersionAgain(bench, { id: fresh('client'), value: 'first' }),

  'what is done to one client is done to no other': async ({ store, other }) => {
    const [client, neighbour] = [await insertFresh(store), await insertFresh(store)]
    await store.replace(client.id, client.version, 'second')
    same(await other.get(neighbour.id), neighbour, 'another client, after a replace')
    same([await store.remove(client.id), await other.remove(client.id)], [true, false], 'both removes')
    same(await other.get(neighbour.id), neighbour, 'another client, after a removal')
  },

  'ids that look alike are kept apart': async ({ store, other }) => {
    for (const [what, id, twin] of confusablePairs()) {
      for (const one of [id, twin]) await store.remove(one)
      const clients = [await insertFresh(store, id), await insertFresh(other, twin)]
      same([await other.get(id), await store.get(twin)], clients, `the clients whose ids have ${what}`)
      same(await other.remove(id), true, `remove of an id with ${what}`)
      same(await store.get(twin), clients[1], `the other client, with ${what}`)
      await store.remove(twin)
    }
  },

  'of parallel replaces of one version exactly one wins': async (bench) => {
    const { id, version } = await insertFresh(bench.store)
    const winner = winnerOf(await race(bench, (client, index) => client.replace(id, version, `caller ${index}`)))
    same((await bench.other.get(id))?.value, `caller ${winner}`, 'the value, which is that of the winner')
  },

  'of parallel removes exactly one wins': async (bench) => {
    const { id } = await insertFresh(bench.store)
    winnerOf(await race(bench, (client) => client.remove(id)))
    same(await bench.other.get(id), null, 'the removed client')
  },
}

const clientListing: TestTable<DurableBench<ClientStore>> = {
  'every client is listed once, page by page, whatever the order of their inserts': async ({ store, other }) => {
    const ids = ['0_b', 'c', '0_a', 'a', '~', 'B'].map((start) => fresh(start))
    const clients = await insertAll(store, ids)
    for (const limit of [1, 2, 5]) {
      const listed = await listAll(other, limit)
      for (const client of clients) same(withId(listed, client.id), [client], `a client, in pages of ${limit}`)
    }
    same(await listAll(store, 2), await listAll(other, 3), 'the order, whatever the pages')
    await isOwnCopy(async () => withId((await store.list({ limit: 1000 })).items, ids[0] ?? '')[0])
    for (const id of ids) await store.remove(id)
  },

  'a page has at most 100 clients by default': async ({ store, other }) => {
    const ids = Array.from({ length: 101 }, () => fresh('client'))
    await insertAll(store, ids)
    const { items, cursor } = await other.list()
    holds(items.length <= 100, 'a page must have at most 100 clients')
    holds(cursor !== undefined, 'there must be a cursor while there is more')
    const listed = await listAll(other)
    same(ids.filter((id) => withId(listed, id).length !== 1).length, 0, 'the number of clients not listed once')
    await Promise.all(ids.map((id) => store.remove(id)))
  },

  'a listing goes on after clients of its earlier pages are removed': async ({ store, other }) => {
    const clients = await insertAll(
      store,
      Array.from({ length: 6 }, () => fresh('client')),
    )
    const listed: StoredClient[] = []
    let cursor: string | undefined
    do {
      const page = await other.list({ limit: 2, ...(cursor !== undefined && { cursor }) })
      for (const { id } of page.items) if (withId(clients, id).length > 0) await store.remove(id)
      listed.push(...page.items)
      cursor = page.cursor
    } while (cursor !== undefined)
    for (const client of clients) same(withId(listed, client.id), [client], 'the listed client')
  },
}

function insertAll(store: ClientStore, ids: readonly string[]): Promise<readonly StoredClient[]> {
  return Promise.all(ids.map((id) => insertFresh(store, id)))
}

async function listAll(store: ClientStore, limit?: number): Promise<readonly StoredClient[]> {
  const listed: StoredClient[] = []
  let cursor: string | undefined
  do {
    const page = await store.list({ ...(limit && { limit }), ...(cursor !== undefined && { cursor }) })
    holds(page.items.length <= (limit ?? 100), 'a page must not be longer than its limit')
    listed.push(...page.items)
    cursor = page.cursor
  } while (cursor !== undefined)
  return listed
}

function withId(clients: readonly StoredClient[], id: string): readonly StoredClient[] {
  return clients.filter((client) => client.id === id)
}
