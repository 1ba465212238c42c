import type { LinkStore, StoredLink } from '../../link-store.ts'
import { same } from '../assertions.ts'
import { confusablePairs } from '../confusable-pairs.ts'
import type { OutageCalls } from '../describe-outages.ts'
import type { TestTable } from '../test-runner.ts'
import { type DurableBench, type DurableKit, describeDurable, fresh, isOwnCopy, race, winnerOf } from './kit-bench.ts'

/** What the kit needs: a runner, and two clients of one backend. */
export interface LinkStoreKit extends DurableKit<LinkStore> {}

/**
 * Describes the whole contract of `LinkStore` as tests of a runner: an identity at a provider belongs to one account, and
 * no link is ever overwritten.
 *
 * @example
 * import { describe, test } from 'node:test'
 * import { createMemoryLinkStore } from '@latchkey/store'
 * import { describeLinkStore } from '@latchkey/store/testing'
 * const store = createMemoryLinkStore()
 * describeLinkStore({ describe, test, createStore: () => store })
 */
export function describeLinkStore(kit: LinkStoreKit): void {
  const probe = (client: LinkStore) => client.get('https://id.example', 'kit_unknown')
  describeDurable('link store', kit, { tables: { contract: linkContract }, prepareOutages, probe })
}

async function prepareOutages({ store, other }: DurableBench<LinkStore>): Promise<OutageCalls<LinkStore>> {
  const [called, removed, inserted] = [newLink(), newLink(), newLink()]
  for (const link of [called, removed]) await store.insert(link)
  const left = (link: StoredLink, what: string, expected: StoredLink | null) => async () =>
    same(await other.get(link.issuer, link.subject), expected, `the link of the failed ${what}`)
  return {
    callsOf: (client) => ({
      insert: () => client.insert(newLink()),
      get: () => client.get(called.issuer, called.subject),
      listByAccount: () => client.listByAccount(called.accountId),
      remove: () => client.remove(called),
    }),
    changes: {
      insert: { call: () => store.insert(inserted), checkUndone: left(inserted, 'insert', null) },
      remove: { call: () => store.remove(removed), checkUndone: left(removed, 'remove', removed) },
    },
  }
}

function newLink(fields: Partial<StoredLink> = {}): StoredLink {
  const issuer = 'https://id.example'
  return { issuer, subject: fresh('sub'), accountId: fresh('acc'), createdAt: 1_790_000_000_123, ...fields }
}

const bySubject = (links: readonly StoredLink[]) =>
  [...links].sort((one, other) => (one.subject < other.subject ? -1 : 1))

const linkContract: TestTable<DurableBench<LinkStore>> = {
  'a link is read by every client': async ({ store, other }) => {
    const link = newLink()
    same(await store.insert(link), true, 'insert')
    same(await other.get(link.issuer, link.subject), link, 'the link')
    same(await other.get(link.issuer, `${link.subject}0`), null, 'another subject')
    same(await other.get(`${link.issuer}/`, link.subject), null, 'another issuer')
    await isOwnCopy(() => store.get(link.issuer, link.subject))
    await isOwnCopy(async () => (await store.listByAccount(link.accountId))[0])
  },

  'insert never overwrites: an identity belongs to one account': async ({ store, other }) => {
    const link = newLink()
    await store.insert(link)
    const intruder = { ...link, accountId: fresh('acc') }
    same(await other.insert(intruder), false, 'insert of an identity that is linked')
    same(await other.get(link.issuer, link.subject), link, 'the link that was there')
    same(await other.listByAccount(intruder.accountId), [], 'the links of the account that was refused')
  },

  'of parallel inserts of one identity exactly one wins': async (bench) => {
    const link = newLink()
    const outcomes = await race(bench, (client, index) => client.insert({ ...link, accountId: `acc_${index}` }))
    const winner = winnerOf(outcomes)
    same((await bench.store.get(link.issuer, link.subject))?.accountId, `acc_${winner}`, 'the account, the winner’s')
  },

  'remove ends the link of that account only, and is true once': async (bench) => {
    const link = newLink()
    await bench.store.insert(link)
    same(await bench.other.remove({ ...link, accountId: fresh('acc') }), false, 'remove for another account')
    same(await bench.store.get(link.issuer, link.subject), link, 'the link')
    winnerOf(await race(bench, (client) => client.remove(link)))
    same(await bench.other.get(link.issuer, link.subject), null, 'the removed link')
  },

  'a listing has every link of the account and no other': async ({ store, other }) => {
    const first = newLink()
    const { accountId } = first
    const links = [first, newLink({ accountId }), newLink({ accountId, issuer: 'https://other.example' })]
    for (const link of [...links, newLink({ accountId: `${accountId}0` })]) await store.insert(link)
    same(bySubject(await other.listByAccount(accountId)), bySubject(links), 'the links')
  },

  'a subject is another identity at another issuer': async ({ store, other }) => {
    const link = newLink()
    const elsewhere = { ...link, issuer: 'https://other.example' }
    const moved = { ...link, issuer: link.issuer.slice(0, -1), subject: `${link.issuer.slice(-1)}${link.subject}` }
    const links = [link, elsewhere, moved]
    for (const one of links) same(await store.insert(one), true, `insert of a subject at ${one.issuer}`)
    same(await other.remove(elsewhere), true, 'remove of one of them')
    const found = await Promise.all(links.map(({ issuer, subject }) => other.get(issuer, subject)))
    same(found, [link, null, moved], 'the links afterwards')
  },

  'more than a hundred links are all listed': async ({ store, other }) => {
    const accountId = fresh('acc')
    await Promise.all(Array.from({ length: 101 }, () => store.insert(newLink({ accountId }))))
    same((await other.listByAccount(accountId)).length, 101, 'the number of links')
  },

  'issuers, subjects and accounts are compared byte for byte': async ({ store, other }) => {
    // A subject has at most 255 characters (OpenID Connect Core §2).
    for (const [what, name, twin] of confusablePairs().filter(([, { length }]) => length <= 255)) {
      for (const link of [newLink({ subject: name, accountId: name }), newLink({ issuer: name, accountId: name })]) {
        const known = await store.get(link.issuer, link.subject)
        if (known) await store.remove(known)
        const isSubject = link.subject === name
        const [issuer, subject] = isSubject ? [link.issuer, twin] : [twin, link.subject]
        same(await store.insert(link), true, `insert of a link with ${what}`)
        same(await other.get(issuer, subject), null, `the link of the other identity, with ${what}`)
        same(await other.listByAccount(twin), [], `the links of the other account, with ${what}`)
        same(await other.remove({ ...link, accountId: twin }), false, `remove for the other account, with ${what}`)
        same(await other.remove({ ...link, issuer, subject }), false, `remove of the other identity, with ${what}`)
        same(await store.get(link.issuer, link.subject), link, `the link with ${what}`)
        same(await store.remove(link), true, `remove of the link with ${what}`)
      }
    }
  },
}
