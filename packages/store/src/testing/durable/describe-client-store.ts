import type { ClientStore, StoredClient } from '../../client-store.ts'
import { holds, same } from '../assertions.ts'
import type { TestTable } from '../test-runner.ts'
import { type DurableBench, type DurableKit, describeDurable, fresh, isOwnCopy, race, winnerOf } from './kit-bench.ts'

/** What the kit needs: a runner, and two clients of one backend. */
export interface ClientStoreKit extends DurableKit<ClientStore> {}

/**
 * Describes the whole contract of `ClientStore` as tests of a runner: nothing is overwritten, and each swap and each
 * removal has one winner. One test lists all clients, so use a backend with few.
 *
 * @example
 * import { describe, test } from 'node:test'
 * import { createMemoryClientStore } from '@latchkey/store'
 * import { describeClientStore } from '@latchkey/store/testing'
 * const store = createMemoryClientStore()
 * describeClientStore({ describe, test, createStore: () => store })
 */
export function describeClientStore(kit: ClientStoreKit): void {
  describeDurable('client store', kit, { contract: clientContract })
}

async function insertFresh(store: ClientStore): Promise<StoredClient> {
  const client = { id: fresh('client'), value: 'first' }
  holds(await store.insert(client), 'insert of a fresh id must be true')
  return { ...client, version: 1 }
}

const clientContract: TestTable<DurableBench<ClientStore>> = {
  'an inserted client has version 1 and is read by every client of the store': async ({ store, other }) => {
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
    const { id } = await insertFresh(store)
    same(await other.replace(id, 2, 'early'), false, 'replace of version 2')
    same(await store.replace(id, 1, 'second'), true, 'replace of version 1')
    same(await other.replace(id, 1, 'late'), false, 'a second replace of version 1')
    same(await other.get(id), { id, version: 2, value: 'second' }, 'the client')
    await store.remove(id)
    same([await store.replace(id, 2, 'third'), await store.get(id)], [false, null], 'replace of a removed client')
  },

  'of parallel replaces of one version exactly one wins': async (bench) => {
    const { id } = await insertFresh(bench.store)
    const winner = winnerOf(await race(bench, (client, index) => client.replace(id, 1, `caller ${index}`)))
    same((await bench.other.get(id))?.value, `caller ${winner}`, 'the value, which is that of the winner')
  },

  'of parallel removes exactly one wins': async (bench) => {
    const { id } = await insertFresh(bench.store)
    winnerOf(await race(bench, (client) => client.remove(id)))
    same(await bench.other.get(id), null, 'the removed client')
  },

  'every client is listed once, page by page': async ({ store, other }) => {
    const clients = [await insertFresh(store), await insertFresh(store), await insertFresh(store)]
    const listed: StoredClient[] = []
    let cursor: string | undefined
    do {
      const page = await other.list({ limit: 2, ...(cursor !== undefined && { cursor }) })
      holds(page.items.length <= 2, 'a page of 2')
      listed.push(...page.items)
      cursor = page.cursor
    } while (cursor !== undefined)
    for (const client of clients)
      same(
        listed.filter(({ id }) => id === client.id),
        [client],
        'the listed client',
      )
  },
}
