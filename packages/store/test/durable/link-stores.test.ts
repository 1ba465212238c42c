import { createMemoryLinkStore, type LinkStore, type StoredLink } from '@latchkey/store'
import { describeLinkStore } from '@latchkey/store/testing'
import { describeOutageMistakes, failedTitles } from '@latchkey/test-services'
import { describe, expect, test } from 'vitest'

describe('the memory store', () => {
  const store = createMemoryLinkStore()
  describeLinkStore({ describe, test, createStore: () => store })
})

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Hands out the very objects that it keeps. */
function createSharingStore(read: 'get' | 'listByAccount'): LinkStore {
  const sound = createMemoryLinkStore()
  const shared = new Map<string, StoredLink>()
  const share = <Link extends StoredLink | null>(link: Link): Link => {
    if (!link) return link
    const key = `${link.issuer} ${link.subject}`
    if (!shared.has(key)) shared.set(key, { ...link })
    return shared.get(key) as Link
  }
  if (read === 'get') return { ...sound, get: async (issuer, subject) => share(await sound.get(issuer, subject)) }
  return { ...sound, listByAccount: async (account) => (await sound.listByAccount(account)).map(share) }
}

const spoilt = (spoil: (store: LinkStore) => Partial<LinkStore>) => () => {
  const store = createMemoryLinkStore()
  return { ...store, ...spoil(store) }
}

const brokenStores: readonly [mistake: string, fails: string, createStore: () => LinkStore][] = [
  [
    'insert overwrites a link',
    'insert never overwrites: an identity belongs to one account',
    spoilt((store) => ({
      async insert(link) {
        const known = await store.get(link.issuer, link.subject)
        if (known) await store.remove(known)
        return store.insert(link)
      },
    })),
  ],
  [
    'insert checks first',
    'of parallel inserts of one identity exactly one wins',
    spoilt((store) => ({
      async insert(link) {
        const isNew = (await store.get(link.issuer, link.subject)) === null
        await turn()
        await store.insert(link)
        return isNew
      },
    })),
  ],
  [
    'a link is removed for any account',
    'remove ends the link of that account only, and is true once',
    spoilt((store) => ({
      async remove(link) {
        const known = await store.get(link.issuer, link.subject)
        return known !== null && store.remove(known)
      },
    })),
  ],
  [
    'remove is true for every caller that saw the link',
    'remove ends the link of that account only, and is true once',
    spoilt((store) => ({
      async remove(link) {
        const known = await store.get(link.issuer, link.subject)
        await turn()
        await store.remove(link)
        return known?.accountId === link.accountId
      },
    })),
  ],
  [
    'a subject is removed at every issuer',
    'a subject is another identity at another issuer',
    spoilt((store) => ({
      async remove({ subject, accountId }) {
        const links = (await store.listByAccount(accountId)).filter((link) => link.subject === subject)
        const removed = await Promise.all(links.map((link) => store.remove(link)))
        return removed.includes(true)
      },
    })),
  ],
  [
    'issuer and subject are joined without a separator',
    'a subject is another identity at another issuer',
    spoilt((store) => {
      const taken = new Set<string>()
      return {
        async insert(link) {
          const name = `${link.issuer}${link.subject}`
          if (taken.has(name)) return false
          taken.add(name)
          return store.insert(link)
        },
      }
    }),
  ],
  [
    'subjects are compared without their case',
    'issuers, subjects and accounts are compared byte for byte',
    spoilt((store) => ({
      insert: (link) => store.insert({ ...link, subject: link.subject.toLowerCase() }),
      get: (issuer, subject) => store.get(issuer, subject.toLowerCase()),
    })),
  ],
  [
    'issuers are compared without the white space at their ends',
    'issuers, subjects and accounts are compared byte for byte',
    spoilt((store) => ({ get: (issuer, subject) => store.get(issuer.trim(), subject) })),
  ],
  [
    'a listing goes by the beginning of an account',
    'a listing has every link of the account and no other',
    spoilt((store) => ({
      listByAccount: async (account) => [
        ...(await store.listByAccount(account)),
        ...(await store.listByAccount(`${account}0`)),
      ],
    })),
  ],
  [
    'a listing has one page',
    'more than a hundred links are all listed',
    spoilt((store) => ({ listByAccount: async (account) => (await store.listByAccount(account)).slice(0, 100) })),
  ],
  ['get hands out what is stored', 'a link is read by every client', () => createSharingStore('get')],
  ['a listing hands out what is stored', 'a link is read by every client', () => createSharingStore('listByAccount')],
]

test.each(brokenStores)('the kit for link stores finds that %s', async (_mistake, fails, createStore) => {
  const store = createStore()
  expect(await failedTitles((runner) => describeLinkStore({ ...runner, createStore: () => store }))).toContain(fails)
})

describeOutageMistakes({
  name: 'link stores',
  describeKit: describeLinkStore,
  createStore: createMemoryLinkStore,
  reads: ['get', 'listByAccount'],
  changes: ['insert', 'remove'],
})
