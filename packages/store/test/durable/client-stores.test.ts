import { type ClientStore, createMemoryClientStore, type StoredClient } from '@latchkey/store'
import { describeClientStore } from '@latchkey/store/testing'
import { describeOutageMistakes, failedTitles } from '@latchkey/test-services'
import { describe, expect, test } from 'vitest'

describe('the memory store', () => {
  const store = createMemoryClientStore()
  describeClientStore({ describe, test, createStore: () => store })

  test.each([0, -1, Number.NaN])('refuses a page of %d clients', async (limit) => {
    await expect(createMemoryClientStore().list({ limit })).rejects.toThrow(new TypeError('"limit" must be at least 1'))
  })

  test('has no cursor after the last client', async () => {
    const clients = createMemoryClientStore()
    for (const id of ['b', 'a']) await clients.insert({ id, value: '' })
    expect((await clients.list({ limit: 2 })).cursor).toBeUndefined()
    expect((await clients.list({ limit: 1, cursor: 'a' })).cursor).toBeUndefined()
    expect(await createMemoryClientStore().list()).toEqual({ items: [] })
  })
})

const turn = () => new Promise((resolve) => setImmediate(resolve))

type Mistake = (store: ClientStore) => Partial<ClientStore>

const all = async (store: ClientStore) => (await store.list({ limit: 100_000 })).items

/** Lists pages of what `order` makes of all clients; the cursor counts those of the pages before. */
const byOffset =
  (order: (clients: readonly StoredClient[]) => readonly StoredClient[]): Mistake =>
  (store) => ({
    async list({ limit = 100, cursor = '0' } = {}) {
      const end = Number(cursor) + limit
      const clients = order(await all(store))
      const items = clients.slice(Number(cursor), end)
      return end < clients.length ? { items, cursor: String(end) } : { items }
    },
  })

/** Shows every version less what it began with. */
const beginVersionsAtOne: Mistake = (store) => {
  const begun = new Map<string, number>()
  return {
    async insert(client) {
      if (!(await store.insert(client))) return false
      begun.set(client.id, ((await store.get(client.id))?.version ?? 1) - 1)
      return true
    },
    async get(id) {
      const client = await store.get(id)
      return client && { ...client, version: client.version - (begun.get(id) ?? 0) }
    },
    replace: (id, version, value) => store.replace(id, version + (begun.get(id) ?? 0), value),
  }
}

const brokenStores: readonly [mistake: string, fails: string, spoil: Mistake][] = [
  [
    'insert overwrites a client',
    'insert never overwrites',
    (store) => ({
      async insert(client) {
        await store.remove(client.id)
        return store.insert(client)
      },
    }),
  ],
  [
    'insert checks first',
    'of parallel inserts of one id exactly one wins',
    (store) => ({
      async insert(client) {
        const isNew = (await store.get(client.id)) === null
        await turn()
        await store.insert(client)
        return isNew
      },
    }),
  ],
  [
    'replace ignores the version',
    'replace swaps the value of the current version only, and never creates',
    (store) => ({
      async replace(id, _version, value) {
        const known = await store.get(id)
        return known !== null && store.replace(id, known.version, value)
      },
    }),
  ],
  [
    'a value that stays as it was is no replace',
    'replace swaps the value of the current version only, and never creates',
    (store) => ({
      replace: async (id, version, value) =>
        (await store.get(id))?.value !== value && store.replace(id, version, value),
    }),
  ],
  [
    'get hands out what a replace has stored',
    'replace swaps the value of the current version only, and never creates',
    (store) => {
      const replaced = new Map<string, StoredClient>()
      return {
        async get(id) {
          const client = await store.get(id)
          if (!client || client.value === 'first') return client
          const key = `${id} ${client.version}`
          if (!replaced.has(key)) replaced.set(key, { ...client })
          return replaced.get(key) ?? null
        },
      }
    },
  ],
  [
    'versions begin at 1 again after a removal',
    'no version of an id is used again, so that a write from before a removal changes nothing',
    beginVersionsAtOne,
  ],
  [
    'two replaces win',
    'of parallel replaces of one version exactly one wins',
    (store) => ({
      async replace(id, version, value) {
        const isCurrent = (await store.get(id))?.version === version
        await turn()
        await store.replace(id, version, value)
        return isCurrent
      },
    }),
  ],
  [
    'every client gets the new value',
    'what is done to one client is done to no other',
    (store) => ({
      async replace(id, version, value) {
        const isReplaced = await store.replace(id, version, value)
        if (isReplaced) for (const one of await all(store)) await store.replace(one.id, one.version, value)
        return isReplaced
      },
    }),
  ],
  [
    'every removal is answered alike',
    'of parallel removes exactly one wins',
    (store) => ({ remove: async (id) => (await store.remove(id)) || true }),
  ],
  [
    'ids are compared without the white space at their ends',
    'ids that look alike are kept apart',
    (store) => ({ insert: ({ id, value }) => store.insert({ id: id.trim(), value }) }),
  ],
  [
    'a listing has the first page only',
    'every client is listed once, page by page, whatever the order of their inserts',
    (store) => ({ list: async (page) => ({ items: (await store.list(page)).items }) }),
  ],
  [
    'pages are in the order of inserts, and cursors in that of ids',
    'every client is listed once, page by page, whatever the order of their inserts',
    (store) => {
      const order = new Map<string, number>()
      return {
        async insert(client) {
          order.set(client.id, order.size)
          return store.insert(client)
        },
        async list({ limit = 100, cursor = '' } = {}) {
          const later = (await all(store)).filter(({ id }) => id > cursor)
          later.sort((one, other) => (order.get(one.id) ?? 0) - (order.get(other.id) ?? 0))
          const items = later.slice(0, limit)
          return later.length > limit ? { items, cursor: items.at(-1)?.id ?? '' } : { items }
        },
      }
    },
  ],
  [
    'a listing begins with letters',
    'every client is listed once, page by page, whatever the order of their inserts',
    (store) => ({ list: (page) => store.list({ cursor: 'A', ...page }) }),
  ],
  [
    'a listing is in another order each time',
    'every client is listed once, page by page, whatever the order of their inserts',
    (store) => {
      let calls = 0
      return byOffset((clients) => (calls++ % 5 < 2 ? clients : [...clients].reverse()))(store)
    },
  ],
  [
    'a listing hands out what is stored',
    'every client is listed once, page by page, whatever the order of their inserts',
    (store) => {
      const shared = new Map<string, StoredClient>()
      const share = (client: StoredClient) => {
        if (!shared.has(client.id)) shared.set(client.id, { ...client })
        return shared.get(client.id) ?? client
      }
      return {
        async list(page) {
          const { items, ...rest } = await store.list(page)
          return { items: items.map(share), ...rest }
        },
      }
    },
  ],
  [
    'a listing without a limit has no end',
    'a page has at most 100 clients by default',
    (store) => ({ list: (page) => store.list({ limit: 100_000, ...page }) }),
  ],
  [
    'a cursor counts',
    'a listing goes on after clients of its earlier pages are removed',
    byOffset((clients) => clients),
  ],
]

test.each(brokenStores)('the kit for client stores finds that %s', async (_mistake, fails, spoil) => {
  const sound = createMemoryClientStore()
  const store = { ...sound, ...spoil(sound) }
  expect(await failedTitles((runner) => describeClientStore({ ...runner, createStore: () => store }))).toContain(fails)
})

describeOutageMistakes({
  name: 'client stores',
  describeKit: describeClientStore,
  createStore: createMemoryClientStore,
  reads: ['get', 'list'],
  changes: ['insert', 'replace', 'remove'],
})
