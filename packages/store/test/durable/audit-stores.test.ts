import { type AuditStore, createMemoryAuditStore, type StoredAuditRow } from '@latchkey/store'
import { describeAuditStore } from '@latchkey/store/testing'
import { describeOutageMistakes, failedTitles } from '@latchkey/test-services'
import { describe, expect, test } from 'vitest'

const row: StoredAuditRow = {
  chain: 'one',
  sequence: 1,
  at: 1_790_000_000_000,
  entry: 'en_1',
  state: 'done',
  kind: 'password.changed',
  accountId: 'acc_1',
  value: '',
  personal: null,
}

describe('the memory store', () => {
  const store = createMemoryAuditStore()
  describeAuditStore({ describe, test, createStore: () => store })

  test.each([0, -1, Number.NaN])('refuses a page of %d rows', async (limit) => {
    await expect(createMemoryAuditStore().list({ limit })).rejects.toThrow(new TypeError('"limit" must be at least 1'))
  })

  test('has no cursor after the last row', async () => {
    const rows = createMemoryAuditStore()
    await rows.append([row, { ...row, sequence: 2 }])
    const { cursor } = await rows.list({ limit: 1 })
    expect((await rows.list({ limit: 2 })).cursor).toBeUndefined()
    expect(await rows.list({ limit: 1, ...(cursor !== undefined && { cursor }) })).toEqual({ items: [row] })
    expect(await createMemoryAuditStore().list()).toEqual({ items: [] })
  })
})

const turn = () => new Promise((resolve) => setImmediate(resolve))

type Mistake = (store: AuditStore) => Partial<AuditStore>

/** Lists all rows that a query asks for by its account and kind, without pages, in an order of their own. */
const inOrder =
  (compare: (one: StoredAuditRow, other: StoredAuditRow) => number): Mistake =>
  (store) => ({
    async list({ limit = 100, cursor = '0', ...query } = {}) {
      const rows = (await store.list({ ...query, limit: 100_000 })).items.toSorted(compare)
      const end = Number(cursor) + limit
      const items = rows.slice(Number(cursor), end)
      return end < rows.length ? { items, cursor: String(end) } : { items }
    },
  })

/** Keeps the rows themselves, and hands them out by one of its methods. */
const sharing =
  (method: 'readChain' | 'list'): Mistake =>
  (store) => {
    const shared = new Map<string, StoredAuditRow>()
    const share = (one: StoredAuditRow) => {
      if (!shared.has(one.entry)) shared.set(one.entry, { ...one })
      return shared.get(one.entry) ?? one
    }
    if (method === 'readChain') return { readChain: async (...given) => (await store.readChain(...given)).map(share) }
    return {
      async list(query) {
        const { items, ...rest } = await store.list(query)
        return { items: items.map(share), ...rest }
      },
    }
  }

const copies = 'changing rows that were passed in or returned changes no row'
const oneMoment = 'rows of one moment are all listed, those of a chain with the latest first'
const chainOrder = 'a chain is read by the numbers of its rows, in whatever order they were added'

const brokenStores: readonly [mistake: string, fails: string, spoil: Mistake][] = [
  [
    'rows are added one by one',
    'append never overwrites, and adds all rows or none',
    (store) => ({
      async append(rows) {
        let isAdded = true
        for (const one of rows) isAdded = (await store.append([one])) && isAdded
        return isAdded
      },
    }),
  ],
  [
    'what was passed in is kept',
    copies,
    (store) => {
      const given = new Map<string, StoredAuditRow>()
      return {
        async append(rows) {
          for (const one of rows) given.set(one.entry, one)
          return store.append(rows)
        },
        readChain: async (...range) => (await store.readChain(...range)).map((one) => given.get(one.entry) ?? one),
      }
    },
  ],
  ['the rows of a chain are handed out', copies, sharing('readChain')],
  ['the rows of a listing are handed out', copies, sharing('list')],
  [
    'rows whose personal data was erased are handed out',
    copies,
    (store) => {
      const erased = new Map<string, StoredAuditRow>()
      return {
        async readChain(...range) {
          const rows = await store.readChain(...range)
          return rows.map((one) => {
            if (one.personal === null && !erased.has(one.entry)) erased.set(one.entry, { ...one })
            return erased.get(one.entry) ?? one
          })
        },
      }
    },
  ],
  [
    'a chain is read in the order in which it was added',
    chainOrder,
    (store) => {
      const order = new Map<string, number>()
      return {
        async append(rows) {
          for (const { entry } of rows) order.set(entry, order.size)
          return store.append(rows)
        },
        async readChain(chain, { after, limit }) {
          const rows = await store.readChain(chain, { after, limit: 100_000 })
          const added = ({ entry }: StoredAuditRow) => order.get(entry) ?? 0
          return rows.toSorted((one, other) => added(one) - added(other)).slice(0, limit)
        },
      }
    },
  ],
  [
    'the numbers of a chain are compared as texts',
    chainOrder,
    (store) => ({
      async readChain(chain, { after, limit }) {
        const rows = await store.readChain(chain, { after, limit: 100_000 })
        return rows.toSorted((one, other) => (String(one.sequence) < String(other.sequence) ? -1 : 1)).slice(0, limit)
      },
    }),
  ],
  [
    'the chains that are gone are listed after all others',
    'a chain is pruned before a place, and no other chain is',
    (store) => {
      const known = new Set<string>()
      return {
        async append(rows) {
          for (const { chain } of rows) known.add(chain)
          return store.append(rows)
        },
        async listChains({ after, limit }) {
          const chains = await store.listChains({ after, limit: 1000 })
          const gone = [...known].filter((name) => !chains.some(({ chain }) => chain === name))
          const empty = gone.map((chain) => ({ chain, first: null, last: null, head: null }))
          return [...chains, ...(after === null ? empty : [])].slice(0, limit)
        },
      }
    },
  ],
  [
    'the row at the place itself is pruned',
    'a chain is pruned before a place, and no other chain is',
    (store) => ({ prune: (chain, before) => store.prune(chain, before + 1) }),
  ],
  [
    'names are compared without the white space at their ends',
    'chains and accounts that look alike are kept apart',
    (store) => ({ erasePersonal: (account) => store.erasePersonal(account.trim()) }),
  ],
  [
    'more than personal data is erased',
    'personal data is erased for one account, and nothing else changes',
    (store) => ({
      async erasePersonal(account) {
        const { items } = await store.list({ accountId: account, limit: 1000 })
        for (const { chain } of items) await store.prune(chain, Number.MAX_SAFE_INTEGER)
        return items.length
      },
    }),
  ],
  [
    'rows without personal data are counted as erased',
    'personal data is erased for one account, and nothing else changes',
    (store) => ({
      async erasePersonal(account) {
        const { items } = await store.list({ accountId: account, limit: 1000 })
        return (await store.erasePersonal(account)) > 0 ? items.length : 0
      },
    }),
  ],
  [
    'what other calls erased is counted',
    'of parallel erasures and prunings each row is counted by one',
    (store) => ({
      async erasePersonal(account) {
        const { items } = await store.list({ accountId: account, limit: 1000 })
        await turn()
        await store.erasePersonal(account)
        return items.filter(({ personal }) => personal !== null).length
      },
    }),
  ],
  [
    'what other calls pruned is counted',
    'of parallel erasures and prunings each row is counted by one',
    (store) => ({
      async prune(chain, before) {
        const rows = await store.readChain(chain, { after: 0, limit: 1000 })
        await turn()
        await store.prune(chain, before)
        return rows.filter(({ sequence }) => sequence < before).length
      },
    }),
  ],
  [
    'pages go by time alone',
    oneMoment,
    (store) => ({
      async list({ cursor, ...query } = {}) {
        const all = (await store.list({ ...query, limit: 1000 })).items.filter(
          ({ at }) => at < Number(cursor ?? Infinity),
        )
        const items = all.slice(0, query.limit ?? 100)
        return all.length > items.length ? { items, cursor: String(items.at(-1)?.at) } : { items }
      },
    }),
  ],
  [
    'the rows of one moment are listed as texts',
    oneMoment,
    inOrder((one, other) => other.at - one.at || (String(one.sequence) < String(other.sequence) ? 1 : -1)),
  ],
  [
    'the oldest rows are listed first',
    'a listing of an account has all its rows, the newest first, page by page',
    inOrder((one, other) => one.at - other.at || one.sequence - other.sequence),
  ],
  [
    'moments are compared as texts',
    'moments are compared as numbers',
    inOrder((one, other) => (String(one.at) < String(other.at) ? 1 : -1)),
  ],
  [
    'a listing without a limit has no end',
    'a page has at most 100 rows by default',
    (store) => ({ list: (query) => store.list({ limit: 100_000, ...query }) }),
  ],
  [
    'rows without an account are not listed',
    'a listing of everything has the rows of every account and kind',
    (store) => ({
      async list(query) {
        const { items, ...rest } = await store.list(query)
        return { items: items.filter(({ accountId }) => accountId !== null), ...rest }
      },
    }),
  ],
  [
    'a kind is asked for only with an account',
    'a listing of one kind has no other, with and without an account',
    (store) => ({
      list: ({ kind, ...query } = {}) => store.list(query.accountId && kind ? { kind, ...query } : query),
    }),
  ],
]

test.each(brokenStores)('the kit for audit stores finds that %s', async (_mistake, fails, spoil) => {
  const sound = createMemoryAuditStore()
  const store = { ...sound, ...spoil(sound) }
  expect(await failedTitles((runner) => describeAuditStore({ ...runner, createStore: () => store }))).toContain(fails)
})

describeOutageMistakes({
  name: 'audit stores',
  describeKit: describeAuditStore,
  createStore: createMemoryAuditStore,
  reads: ['list', 'readChain', 'listChains', 'latestHeads'],
  changes: ['append', 'erasePersonal', 'prune'],
})
