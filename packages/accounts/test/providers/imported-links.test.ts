import { describe, expect, test } from 'vitest'
import { refusalOf } from '../bench.ts'
import { createProvidersBench, heldOf, issuer, type ProvidersBenchOptions } from './providers-bench.ts'

/** An account that was moved here, and the link to import. */
async function createMoved(options: ProvidersBenchOptions = {}) {
  const bench = createProvidersBench(options)
  const { id } = await bench.insert()
  const link = { accountId: id, issuer, subject: '42', createdAt: 7 }
  return { bench, id, link }
}

describe('a link that is imported', () => {
  test('an imported link signs in its user and emits an event; sessions stay valid, and no mail is sent', async () => {
    const { bench, id, link } = await createMoved()
    const { identity } = await bench.signIn()
    const imported = await bench.accounts.importProviderLink(link)
    expect(imported).toEqual({ id: expect.any(String), issuer, createdAt: 7 })
    expect(await bench.accounts.linkedProviders(id)).toEqual([imported])
    expect(await bench.byProvider()).toMatchObject({ ok: true, account: { id } })
    expect(await bench.accounts.listSessions(id)).toContainEqual(expect.objectContaining({ key: identity.key }))
    expect(bench.events).toContainEqual(expect.objectContaining({ type: 'provider.linked', accountId: id, issuer }))
    await bench.accounts.settled()
    expect(bench.outbox).toEqual([])
  })

  test('an imported link without a time has the current time', async () => {
    const { bench, link } = await createMoved()
    const { createdAt: _createdAt, ...rest } = link
    expect(await bench.accounts.importProviderLink(rest)).toMatchObject({ createdAt: bench.now() })
  })

  test('a second import returns the existing link', async () => {
    const { bench, id, link } = await createMoved()
    const first = await bench.accounts.importProviderLink(link)
    const before = await heldOf(bench, id)
    const told = bench.events.length
    expect(await bench.accounts.importProviderLink({ ...link, createdAt: 8 })).toEqual(first)
    expect(await heldOf(bench, id)).toEqual(before)
    expect(bench.events.slice(told)).toEqual([])
  })

  test('importProviderLink is refused for a user who is linked to another account, and the links are unchanged', async () => {
    const { bench, id, link } = await createMoved()
    const other = await bench.insert({ email: 'other@example.com' })
    await bench.link(other.id)
    const before = [await heldOf(bench, id), await heldOf(bench, other.id)]
    const refusal = await refusalOf(bench.accounts.importProviderLink(link))
    expect(refusal).toMatchObject({ code: 'PROVIDER_IN_USE' })
    expect([await heldOf(bench, id), await heldOf(bench, other.id)]).toEqual(before)
    expect(bench.events.filter(({ type }) => type === 'provider.linked')).toEqual([])
  })

  test('one of fifty parallel imports to different accounts wins', async () => {
    const { bench, link } = await createMoved()
    const accounts = await Promise.all(
      Array.from({ length: 50 }, (_none, nth) => bench.insert({ email: `reader${nth}@example.com` })),
    )
    const imports = accounts.map(({ id: accountId }) => bench.accounts.importProviderLink({ ...link, accountId }))
    const results = await Promise.allSettled(imports)
    const winners = accounts.filter((_account, nth) => results[nth]?.status === 'fulfilled')
    expect(winners).toHaveLength(1)
    expect(await bench.links.get(issuer, '42')).toMatchObject({ accountId: winners[0]?.id })
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []))
    expect(refused).toEqual(Array(49).fill('PROVIDER_IN_USE'))
    expect(bench.events.filter(({ type }) => type === 'provider.linked')).toHaveLength(1)
  })

  test('fifty parallel imports to the same account make one link', async () => {
    const { bench, id, link } = await createMoved()
    const imports = await Promise.all(Array.from({ length: 50 }, () => bench.accounts.importProviderLink(link)))
    expect(new Set(imports.map((linked) => linked?.id)).size).toBe(1)
    expect(await bench.links.listByAccount(id)).toHaveLength(1)
    expect(bench.events.filter(({ type }) => type === 'provider.linked')).toHaveLength(1)
  })

  test('takes the place of one whose account is gone', async () => {
    const { bench, id, link } = await createMoved()
    await bench.links.insert({ ...link, accountId: 'acc_gone', createdAt: 0 })
    expect(await bench.accounts.importProviderLink(link)).toMatchObject({ issuer })
    expect(await bench.links.get(issuer, '42')).toMatchObject({ accountId: id })
  })

  test('importProviderLink returns null for an unknown account', async () => {
    const { bench, link } = await createMoved()
    expect(await bench.accounts.importProviderLink({ ...link, accountId: 'acc_gone' })).toBeNull()
    expect(await bench.links.get(issuer, '42')).toBeNull()
  })

  test('an imported link is removed again if its account is deleted meanwhile', async () => {
    const { bench, link } = await createMoved({
      aroundLinks: (store) => ({
        ...store,
        async insert(document) {
          await bench.store.remove(document.owner ?? '')
          return store.insert(document)
        },
      }),
    })
    expect(await bench.accounts.importProviderLink(link)).toBeNull()
    expect(await bench.links.get(issuer, '42')).toBeNull()
    expect(bench.events.filter(({ type }) => type === 'provider.linked')).toEqual([])
  })

  test.each<[string, object]>([
    ['an issuer', { issuer: '' }],
    ['a subject', { subject: 42 }],
    ['a subject', { subject: 'a\0b' }],
    ['a subject', { subject: 's'.repeat(1025) }],
    ['a time', { createdAt: Number.NaN }],
    ['a time', { createdAt: '7' }],
    ['an attempt', { attempt: undefined }],
  ])('without %s is a TypeError, and nothing changes: %j', async (_what, change) => {
    const { bench, id, link } = await createMoved()
    const before = await heldOf(bench, id)
    await expect(bench.accounts.importProviderLink({ ...link, ...(change as object) })).rejects.toThrow(TypeError)
    expect(await heldOf(bench, id)).toEqual(before)
  })

  test('importProviderLink is unavailable if providers are not configured', async () => {
    const { bench, id, link } = await createMoved({ options: { signIn: { providers: undefined } } as never })
    const refusal = await refusalOf(bench.accounts.importProviderLink(link))
    expect(refusal).toMatchObject({ code: 'OPERATION_UNAVAILABLE' })
    expect(await bench.links.listByAccount(id)).toEqual([])
  })
})
