import type { LinkStore, StoredLink } from '../../link-store.ts'
import { same } from '../assertions.ts'
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
  describeDurable('link store', kit, { contract: linkContract })
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

  'issuers and subjects are compared byte for byte': async ({ store, other }) => {
    const link = newLink({ subject: fresh('Sub') })
    await store.insert(link)
    for (const twin of [
      link.subject.toLowerCase(),
      `${link.subject} `,
      link.subject.normalize('NFD').concat('\u0301'),
    ]) {
      same(await other.get(link.issuer, twin), null, `the subject ${JSON.stringify(twin.slice(-4))}`)
    }
  },
}
