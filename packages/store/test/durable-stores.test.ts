import {
  type AuditStore,
  type ClientStore,
  createMemoryAuditStore,
  createMemoryClientStore,
  createMemoryGrantStore,
  createMemoryLinkStore,
  createMemoryLockoutStore,
  createMemoryVersionStore,
  type GrantStore,
  type LinkStore,
  type LockoutStore,
  type VersionStore,
} from '@latchkey/store'
import {
  describeAuditStore,
  describeClientStore,
  describeGrantStore,
  describeLinkStore,
  describeLockoutStore,
  describeVersionStore,
  type TestRunner,
} from '@latchkey/store/testing'
import { describe, expect, test } from 'vitest'

describe('the stores in memory', () => {
  const [audit, clients, grants] = [createMemoryAuditStore(), createMemoryClientStore(), createMemoryGrantStore()]
  const [links, lockouts, versions] = [createMemoryLinkStore(), createMemoryLockoutStore(), createMemoryVersionStore()]
  describeAuditStore({ describe, test, createStore: () => audit })
  describeClientStore({ describe, test, createStore: () => clients })
  describeGrantStore({ describe, test, createStore: () => grants })
  describeLinkStore({ describe, test, createStore: () => links })
  describeLockoutStore({ describe, test, createStore: () => lockouts })
  describeVersionStore({ describe, test, createStore: () => versions })
})

/** Lets other calls in, as a store that first reads and then writes does. */
const pause = () => new Promise((resolve) => setImmediate(resolve))

/** Returns the titles of the tests that fail. */
async function failuresOf(describeStore: (runner: TestRunner) => void): Promise<readonly string[]> {
  const tests: [string, () => Promise<void>][] = []
  describeStore({ describe: (_name, body) => body(), test: (title, body) => void tests.push([title, body]) })
  const failed: string[] = []
  for (const [title, body] of tests) await body().catch(() => failed.push(title))
  return failed
}

type Mistake<Store> = readonly [name: string, store: () => Store, fails: string]

function describeMistakes<Store>(
  describeStore: (kit: TestRunner & { createStore: () => Store }) => void,
  mistakes: readonly Mistake<Store>[],
): void {
  test.each(mistakes)('%s', async (_name, createStore, fails) => {
    const store = createStore()
    expect(await failuresOf((runner) => describeStore({ ...runner, createStore: () => store }))).toContain(fails)
  })
}

describe('the kit of lockout stores finds a store that', () => {
  const good = createMemoryLockoutStore
  const broken = (change: (store: LockoutStore) => Partial<LockoutStore>) => () => {
    const store = good()
    return { ...store, ...change(store) }
  }
  describeMistakes<LockoutStore>(describeLockoutStore, [
    [
      'reads, and then writes',
      () => {
        const counts = new Map<string, number>()
        const count = async (account: string, factor: string) => counts.get(`${account} ${factor}`) ?? 0
        return {
          count,
          async fail(account, factor) {
            const before = await count(account, factor)
            await pause()
            counts.set(`${account} ${factor}`, before + 1)
            return before + 1
          },
          async clear(account, factor) {
            counts.delete(`${account} ${factor}`)
          },
        }
      },
      'of parallel failures none is lost, and each is told another number',
    ],
    [
      'counts all factors together',
      broken((store) => ({ fail: (account) => store.fail(account, '') })),
      'every account and every factor has a count of its own',
    ],
    [
      'never begins again',
      broken(() => ({ clear: async () => undefined })),
      'clear begins again with 0, also where there is no failure',
    ],
    [
      'compares factors without their case',
      broken((store) => ({ fail: (account, factor) => store.fail(account, factor.toLowerCase()) })),
      'every account and every factor has a count of its own',
    ],
  ])
})

describe('the kit of link stores finds a store that', () => {
  const broken = (change: (store: LinkStore) => Partial<LinkStore>) => () => {
    const store = createMemoryLinkStore()
    return { ...store, ...change(store) }
  }
  describeMistakes<LinkStore>(describeLinkStore, [
    [
      'overwrites a link',
      broken((store) => ({
        async insert(link) {
          const known = await store.get(link.issuer, link.subject)
          if (known) await store.remove(known)
          return store.insert(link)
        },
      })),
      'insert never overwrites: an identity belongs to one account',
    ],
    [
      'removes a link for any account',
      broken((store) => ({
        async remove(link) {
          const known = await store.get(link.issuer, link.subject)
          return known !== null && store.remove(known)
        },
      })),
      'remove ends the link of that account only, and is true once',
    ],
    [
      'compares subjects without their case',
      broken((store) => ({
        insert: (link) => store.insert({ ...link, subject: link.subject.toLowerCase() }),
        get: (issuer, subject) => store.get(issuer, subject.toLowerCase()),
      })),
      'issuers and subjects are compared byte for byte',
    ],
    [
      'lists by the beginning of an account',
      broken((store) => ({
        listByAccount: async (account) => [
          ...(await store.listByAccount(account)),
          ...(await store.listByAccount(`${account}0`)),
        ],
      })),
      'a listing has every link of the account and no other',
    ],
  ])
})

describe('the kit of client stores finds a store that', () => {
  const broken = (change: (store: ClientStore) => Partial<ClientStore>) => () => {
    const store = createMemoryClientStore()
    return { ...store, ...change(store) }
  }
  describeMistakes<ClientStore>(describeClientStore, [
    [
      'overwrites a client',
      broken((store) => ({
        async insert(client) {
          await store.remove(client.id)
          return store.insert(client)
        },
      })),
      'insert never overwrites',
    ],
    [
      'replaces whatever the version is',
      broken((store) => ({
        async replace(id, _version, value) {
          const known = await store.get(id)
          return known !== null && store.replace(id, known.version, value)
        },
      })),
      'replace swaps the value of the current version only, and never creates',
    ],
    [
      'lists the first page only',
      broken((store) => ({
        list: async (page) => ({ items: (await store.list(page)).items }),
      })),
      'every client is listed once, page by page',
    ],
    [
      'answers every removal alike',
      broken((store) => ({ remove: async (id) => (await store.remove(id)) || true })),
      'of parallel removes exactly one wins',
    ],
  ])
})

describe('the kit of grant stores finds a store that', () => {
  const broken = (change: (store: GrantStore) => Partial<GrantStore>) => () => {
    const store = createMemoryGrantStore()
    return { ...store, ...change(store) }
  }
  const loose = (): GrantStore => {
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
  describeMistakes<GrantStore>(describeGrantStore, [
    ['keeps two grants for one client', loose, 'an account has at most one grant for a client'],
    ['lets two inserts for one client win', loose, 'of parallel inserts for one account and client exactly one wins'],
    [
      'counts what other calls removed',
      broken((store) => ({
        async removeByAccount(account) {
          const { length } = await store.listByAccount(account)
          await pause()
          await store.removeByAccount(account)
          return length
        },
      })),
      'a listing has every grant of the account and no other, and removeByAccount removes them',
    ],
  ])
})

describe('the kit of audit stores finds a store that', () => {
  const broken = (change: (store: AuditStore) => Partial<AuditStore>) => () => {
    const store = createMemoryAuditStore()
    return { ...store, ...change(store) }
  }
  describeMistakes<AuditStore>(describeAuditStore, [
    [
      'adds row by row',
      broken((store) => ({
        async append(rows) {
          let isAdded = true
          for (const row of rows) isAdded = (await store.append([row])) && isAdded
          return isAdded
        },
      })),
      'append never overwrites, and adds all rows or none',
    ],
    [
      'pages by time alone',
      broken((store) => ({
        async list({ cursor, ...query } = {}) {
          const all = (await store.list({ ...query, limit: 1000 })).items.filter(
            ({ at }) => at < Number(cursor ?? Infinity),
          )
          const items = all.slice(0, query.limit ?? 100)
          return all.length > items.length ? { items, cursor: String(items.at(-1)?.at) } : { items }
        },
      })),
      'rows of one moment are all listed',
    ],
    [
      'erases more than personal data',
      broken((store) => ({
        erasePersonal: async (account) => {
          const { items } = await store.list({ accountId: account, limit: 1000 })
          for (const { chain } of items) await store.prune(chain, Number.MAX_SAFE_INTEGER)
          return items.length
        },
      })),
      'personal data is erased for one account, and nothing else changes',
    ],
    [
      'prunes the row at the place itself',
      broken((store) => ({ prune: (chain, before) => store.prune(chain, before + 1) })),
      'a chain is pruned before a place, and no other chain is',
    ],
  ])
})

describe('the kit of version stores finds a store that', () => {
  describeMistakes<VersionStore>(describeVersionStore, [
    [
      'lowers the version',
      () => {
        let version = 0
        return {
          get: async () => version,
          async raise(to) {
            version = to
            return version
          },
        }
      },
      'a version never falls',
    ],
    [
      'reads, and then writes',
      () => {
        let version = 0
        return {
          get: async () => version,
          async raise(to) {
            const before = version
            await pause()
            version = Math.max(before, to)
            return version
          },
        }
      },
      'of several raises at once the highest stays',
    ],
  ])
})
