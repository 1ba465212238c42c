import type { SessionCredentials } from '@latchkey/accounts/internal'
import { describe, expect, test } from 'vitest'
import { invalidCredentials, refusalOf } from '../bench.ts'
import { createProvidersBench, heldOf, issuer, otherIssuer, type ProvidersBench } from './providers-bench.ts'
import { createSignedIn, identityOf, openOf } from './signed-in-scene.ts'

describe('a link', () => {
  test('a new link can sign in, renews the session of the request and revokes every other session', async () => {
    const { bench, id, identity, elsewhere, linkWith } = await createSignedIn()
    const result = await linkWith(identity)
    if (!result?.ok || !result.credentials) throw new Error('it was refused')
    expect(result.provider).toEqual({ id: expect.stringMatching(/^[\w-]{43}$/), issuer, createdAt: bench.now() })
    expect(await openOf(bench, id)).toEqual([result.credentials.session.key])
    const { credential } = elsewhere.credentials as SessionCredentials
    await expect(identityOf(bench, credential)).rejects.toThrow('the session has ended')
    expect(await identityOf(bench, result.credentials.credential)).toMatchObject({
      factors: [{ kind: 'password' }, { kind: 'provider' }],
    })
    expect(await bench.byProvider()).toMatchObject({ ok: true, account: { id } })
  })

  test('a new link emits an event, writes audit rows and mails the owner, without the user or an address', async () => {
    const { bench, id, identity, linkWith } = await createSignedIn()
    await linkWith(identity, { subject: 'canary-subject', email: 'canary@example.com', sid: 'canary-sid' })
    await bench.accounts.settled()
    const event = bench.events.find(({ type }) => type === 'provider.linked')
    expect(event).toMatchObject({ accountId: id, sessionKey: identity.key, issuer })
    expect(bench.outbox.at(-1)).toMatchObject({ kind: 'provider-linked', to: 'reader@example.com' })
    expect(bench.outbox.at(-1)?.text).toContain('id.example.com')
    expect(JSON.stringify([bench.events, bench.outbox])).not.toContain('canary')
  })

  test.each(['another account', 'the account itself'])(
    'a user with a link cannot be linked again: %s has the link',
    async (holder) => {
      const { bench, id, identity, linkWith } = await createSignedIn()
      await bench.link(holder === 'another account' ? 'acc_other' : id)
      const before = await heldOf(bench, id)
      expect(await refusalOf(linkWith(identity))).toMatchObject({ code: 'PROVIDER_IN_USE' })
      expect(await heldOf(bench, id)).toEqual(before)
      expect(bench.events.at(-1)).toMatchObject({ type: 'provider.refused', accountId: id, reason: 'provider-linked' })
    },
  )

  test('takes the place of one whose account is gone, once no sign-in can be under way', async () => {
    const { bench, id, identity, linkWith } = await createSignedIn()
    await bench.link('acc_gone')
    bench.advance(59)
    expect(await refusalOf(linkWith(identity))).toMatchObject({ code: 'PROVIDER_IN_USE' })
    expect(await bench.links.get(issuer, '42')).toMatchObject({ accountId: 'acc_gone' })
    bench.advance(1)
    expect(await linkWith(identity)).toMatchObject({ ok: true })
    expect(await bench.links.get(issuer, '42')).toMatchObject({ accountId: id })
  })

  test('one subject at two providers is two users', async () => {
    const { bench, id, identity, linkWith } = await createSignedIn()
    await bench.link('acc_other', '42', otherIssuer)
    expect(await linkWith(identity)).toMatchObject({ ok: true })
    expect(await bench.links.get(otherIssuer, '42')).toMatchObject({ accountId: 'acc_other' })
    expect(await bench.links.get(issuer, '42')).toMatchObject({ accountId: id })
  })

  test('linkProvider of a session that was revoked is refused, and the links are unchanged', async () => {
    const { bench, id, identity, linkWith } = await createSignedIn()
    await bench.store.replace(id, {}, { epoch: 5 })
    const before = await heldOf(bench, id)
    expect(await linkWith(identity)).toEqual(invalidCredentials)
    expect(await heldOf(bench, id)).toEqual(before)
    expect(bench.events.at(-1)).toMatchObject({ type: 'provider.refused', reason: 'account-changed' })
  })

  test('an administrator who impersonates the account cannot link a provider', async () => {
    const { bench, id, identity, linkWith } = await createSignedIn()
    const acting = { ...identity, impersonator: 'acc_admin' }
    expect(await refusalOf(linkWith(acting))).toMatchObject({ code: 'NOT_WHILE_IMPERSONATING' })
    const input = { identity: acting, id: 'x' }
    expect(await refusalOf(bench.accounts.unlinkProvider(input))).toMatchObject({ code: 'NOT_WHILE_IMPERSONATING' })
    const again = { ...bench.shown({ binding: `confirm:${identity.key}` }), identity: acting }
    expect(await refusalOf(bench.accounts.confirmProvider(again))).toMatchObject({ code: 'NOT_WHILE_IMPERSONATING' })
    expect(await bench.links.listByAccount(id)).toEqual([])
  })

  test.each<[string, (bench: ProvidersBench, id: string) => Promise<unknown>]>([
    ['was deleted', ({ store }, id) => store.remove(id)],
    ['was closed', ({ store }, id) => store.replace(id, {}, { status: 'locked' })],
    ['was changed', ({ store }, id) => store.replace(id, {}, { epoch: 9 })],
  ])('is taken back where the account %s while it was made', async (_what, change) => {
    const { bench, id, identity, linkWith } = await createSignedIn({
      aroundLinks: (store) => ({
        ...store,
        async insert(link) {
          await change(bench, link.owner ?? '')
          return store.insert(link)
        },
      }),
    })
    expect(await linkWith(identity)).toEqual(invalidCredentials)
    expect(await bench.links.listByAccount(id)).toEqual([])
    expect(bench.events.filter(({ type }) => type === 'provider.linked')).toEqual([])
    expect(bench.events.at(-1)).toMatchObject({ type: 'provider.refused', accountId: id, reason: 'account-changed' })
  })

  test('linkProvider is refused if the account changes just before the claim, and the event gives the reason', async () => {
    let change = async (): Promise<unknown> => undefined
    const { bench, id, identity, linkWith } = await createSignedIn({
      async aroundAccounts(method, run) {
        if (method === 'replace') await change()
        return run()
      },
    })
    change = () => bench.store.replace(id, {}, { epoch: 9 })
    expect(await linkWith(identity)).toEqual(invalidCredentials)
    expect(await bench.links.listByAccount(id)).toEqual([])
    expect(bench.events.at(-1)).toMatchObject({ type: 'provider.refused', accountId: id, reason: 'account-changed' })
  })

  test('a link is in the export of its account only', async () => {
    const { bench, id } = await createSignedIn()
    await bench.link(id)
    await bench.link('acc_other', '43', otherIssuer)
    const exported = await bench.accounts.exportAccount({ identity: { subject: id } })
    const createdAt = new Date(bench.now()).toISOString()
    expect(JSON.parse(exported ?? '{}').providers).toEqual([{ issuer, createdAt }])
  })

  test('a new link is listed after older links', async () => {
    const { bench, id } = await createSignedIn()
    const link = { issuer, accountId: id }
    for (const at of [3, 1, 2]) await bench.links.insert({ ...link, subject: `${at}`, createdAt: at })
    expect((await bench.accounts.linkedProviders(id)).map(({ createdAt }) => createdAt)).toEqual([1, 2, 3])
  })

  test('one of fifty accounts that link the same user in parallel wins', async () => {
    const bench = createProvidersBench()
    const people = await Promise.all(
      Array.from({ length: 50 }, async (_none, index) => {
        const { id, email } = await bench.insert({ email: `reader${index}@example.com` })
        return { id, ...(await bench.signIn({ email })) }
      }),
    )
    const linking = people.map(({ identity }) =>
      bench.accounts.linkProvider({ ...bench.shown({ binding: `link:${identity.key}` }), identity }),
    )
    const results = await Promise.allSettled(linking)
    const winners = people.filter((_person, index) => results[index]?.status === 'fulfilled')
    expect(winners).toHaveLength(1)
    expect(await bench.links.get(issuer, '42')).toMatchObject({ accountId: winners[0]?.id })
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []))
    expect(refused).toEqual(Array(49).fill('PROVIDER_IN_USE'))
    expect(bench.events.filter(({ type }) => type === 'provider.refused')).toHaveLength(49)
    expect(bench.events.filter(({ type }) => type === 'provider.linked')).toHaveLength(1)
  })

  test('fifty parallel callbacks in one session make one link', async () => {
    const { bench, id, identity, linkWith } = await createSignedIn()
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => linkWith(identity)))
    expect(results.filter((result) => result.status === 'fulfilled' && result.value?.ok)).toHaveLength(1)
    expect(await bench.links.listByAccount(id)).toHaveLength(1)
  })
})
