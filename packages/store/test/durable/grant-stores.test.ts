import { createMemoryGrantStore, type GrantStore, type StoredGrant } from '@latchkey/store'
import { describeGrantStore } from '@latchkey/store/testing'
import { describeOutageMistakes, failedTitles } from '@latchkey/test-services'
import { describe, expect, test } from 'vitest'

describe('the memory store', () => {
  const store = createMemoryGrantStore()
  describeGrantStore({ describe, test, createStore: () => store })
})

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Keeps several grants for one client, under names of which the beginning is shown. */
function createLooseStore(): GrantStore {
  const store = createMemoryGrantStore()
  const hidden = (grant: { readonly id: string; readonly clientId: string }) => `${grant.clientId}\0${grant.id}`
  const shown = <Grant extends { readonly clientId: string } | null>(grant: Grant): Grant =>
    grant && { ...grant, clientId: grant.clientId.split('\0')[0] }
  return {
    ...store,
    insert: (grant) => store.insert({ ...grant, clientId: hidden(grant) }),
    get: async (id) => shown(await store.get(id)),
    getByClient: async (account, client) =>
      shown((await store.listByAccount(account)).find(({ clientId }) => clientId.split('\0')[0] === client) ?? null),
    listByAccount: async (account) => (await store.listByAccount(account)).map(shown),
  }
}

/** Hands out the very objects that it keeps, by one of its methods. */
function createSharingStore(method: 'get' | 'getByClient' | 'listByAccount'): GrantStore {
  const sound = createMemoryGrantStore()
  const shared = new Map<string, StoredGrant>()
  const share = <Grant extends StoredGrant | null>(grant: Grant): Grant => {
    if (!grant) return grant
    if (!shared.has(grant.id)) shared.set(grant.id, { ...grant })
    return shared.get(grant.id) as Grant
  }
  const sharing: Pick<GrantStore, 'get' | 'getByClient' | 'listByAccount'> = {
    get: async (id) => share(await sound.get(id)),
    getByClient: async (account, client) => share(await sound.getByClient(account, client)),
    listByAccount: async (account) => (await sound.listByAccount(account)).map(share),
  }
  return { ...sound, [method]: sharing[method] }
}

const spoilt = (spoil: (store: GrantStore) => Partial<GrantStore>) => () => {
  const store = createMemoryGrantStore()
  return { ...store, ...spoil(store) }
}

const replaceTest = 'replace swaps the value of the current version only, and never creates'
const readTest = 'an inserted grant is read by its id, and by account and client'
const listTest = 'a listing has every grant of the account and no other, and removeByAccount removes them'

const brokenStores: readonly [mistake: string, fails: string, createStore: () => GrantStore][] = [
  ['an account has two grants for one client', 'an account has at most one grant for a client', createLooseStore],
  [
    'two inserts for one client win',
    'of parallel inserts for one account and client exactly one wins',
    createLooseStore,
  ],
  ['get hands out what is stored', readTest, () => createSharingStore('get')],
  ['getByClient hands out what is stored', readTest, () => createSharingStore('getByClient')],
  ['a listing hands out what is stored', readTest, () => createSharingStore('listByAccount')],
  [
    'the grant for any client is returned',
    readTest,
    spoilt((store) => ({ getByClient: async (account) => (await store.listByAccount(account))[0] ?? null })),
  ],
  [
    'replace ignores the version',
    replaceTest,
    spoilt((store) => ({
      async replace(id, _version, value) {
        const grant = await store.get(id)
        return grant !== null && store.replace(id, grant.version, value)
      },
    })),
  ],
  [
    'replace takes a later version',
    replaceTest,
    spoilt((store) => ({
      async replace(id, version, value) {
        const known = (await store.get(id))?.version ?? version
        return store.replace(id, Math.min(version, known), value)
      },
    })),
  ],
  [
    'a value that stays as it was is no replace',
    replaceTest,
    spoilt((store) => ({
      replace: async (id, version, value) =>
        (await store.get(id))?.value !== value && store.replace(id, version, value),
    })),
  ],
  [
    'get hands out what a replace has stored',
    replaceTest,
    spoilt((store) => {
      const replaced = new Map<string, StoredGrant>()
      return {
        async get(id) {
          const grant = await store.get(id)
          if (!grant?.value.startsWith('caller')) return grant
          const key = `${id} ${grant.version}`
          if (!replaced.has(key)) replaced.set(key, { ...grant })
          return replaced.get(key) ?? null
        },
      }
    }),
  ],
  [
    'versions begin at 1 again after a removal',
    'no version of an id is used again, so that a write from before a removal changes nothing',
    spoilt((store) => {
      const begun = new Map<string, number>()
      return {
        async insert(grant) {
          if (!(await store.insert(grant))) return false
          begun.set(grant.id, ((await store.get(grant.id))?.version ?? 1) - 1)
          return true
        },
        async get(id) {
          const grant = await store.get(id)
          return grant && { ...grant, version: grant.version - (begun.get(id) ?? 0) }
        },
        replace: (id, version, value) => store.replace(id, version + (begun.get(id) ?? 0), value),
      }
    }),
  ],
  [
    'every grant of the account gets the new value',
    'what is done to one grant is done to no other',
    spoilt((store) => ({
      async replace(id, version, value) {
        const grant = await store.get(id)
        const isReplaced = await store.replace(id, version, value)
        const own = grant ? await store.listByAccount(grant.accountId) : []
        for (const one of own) await store.replace(one.id, one.version, value)
        return isReplaced
      },
    })),
  ],
  [
    'a removal takes every grant of the account',
    'what is done to one grant is done to no other',
    spoilt((store) => ({
      async remove(id) {
        const grant = await store.get(id)
        return grant !== null && (await store.removeByAccount(grant.accountId)) > 0
      },
    })),
  ],
  [
    'remove is true for every caller that saw the grant',
    'of parallel removes exactly one wins, and the account may grant anew',
    spoilt((store) => ({
      async remove(id) {
        const grant = await store.get(id)
        await turn()
        await store.remove(id)
        return grant !== null
      },
    })),
  ],
  [
    'ids are compared without case',
    'ids, accounts and clients that look alike are kept apart',
    spoilt((store) => ({
      insert: (grant) => store.insert({ ...grant, id: grant.id.toLowerCase() }),
      get: (id) => store.get(id.toLowerCase()),
    })),
  ],
  [
    'accounts are compared without the white space at their ends',
    'ids, accounts and clients that look alike are kept apart',
    spoilt((store) => ({ removeByAccount: (account) => store.removeByAccount(account.trim()) })),
  ],
  [
    'clients are compared without the white space at their ends',
    'ids, accounts and clients that look alike are kept apart',
    spoilt((store) => ({ getByClient: (account, client) => store.getByClient(account, client.trim()) })),
  ],
  [
    'what other calls removed is counted',
    listTest,
    spoilt((store) => ({
      async removeByAccount(account) {
        const { length } = await store.listByAccount(account)
        await turn()
        await store.removeByAccount(account)
        return length
      },
    })),
  ],
  [
    'a listing has one page',
    'more than a hundred grants are all listed, and all removed',
    spoilt((store) => ({ listByAccount: async (account) => (await store.listByAccount(account)).slice(0, 100) })),
  ],
  [
    'a removal has one page',
    'more than a hundred grants are all listed, and all removed',
    spoilt((store) => ({
      async removeByAccount(account) {
        const some = (await store.listByAccount(account)).slice(0, 100)
        const removed = await Promise.all(some.map(({ id }) => store.remove(id)))
        return removed.filter(Boolean).length
      },
    })),
  ],
]

test.each(brokenStores)('the kit for grant stores finds that %s', async (_mistake, fails, createStore) => {
  const store = createStore()
  expect(await failedTitles((runner) => describeGrantStore({ ...runner, createStore: () => store }))).toContain(fails)
})

describeOutageMistakes({
  name: 'grant stores',
  describeKit: describeGrantStore,
  createStore: createMemoryGrantStore,
  reads: ['get', 'getByClient', 'listByAccount'],
  changes: ['insert', 'replace', 'remove', 'removeByAccount'],
})
