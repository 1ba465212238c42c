import { StoreError } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { email, invalidCredentials, invalidLink, newPassword } from '../bench.ts'
import {
  createProvidersBench,
  heldOf,
  issuer,
  otherIssuer,
  type ProvidersBench,
  type ProvidersBenchOptions,
  session,
} from './providers-bench.ts'

/** An account that is linked to two users, the second of which a thief has added, and the link of a mail to reset its password. */
async function createReset(options: ProvidersBenchOptions = {}) {
  const bench = createProvidersBench(options)
  const { id } = await bench.insert()
  await bench.link(id)
  await bench.link(id, 'thief', otherIssuer)
  await bench.accounts.requestPasswordReset({ email })
  const token = await bench.mailedToken()
  const reset = () => bench.accounts.resetPassword({ token, newPassword })
  return { bench, id, reset }
}

const unlinked = ({ events }: ProvidersBench) => events.filter(({ type }) => type === 'provider.unlinked')

describe('a reset of the password by mail', () => {
  test('a reset removes every link, so that no user of a provider signs in, and mails the owner about each', async () => {
    const { bench, id, reset } = await createReset()
    expect(await reset()).toMatchObject({ ok: true, status: 'password-set' })
    expect(await bench.links.listByAccount(id)).toEqual([])
    expect(await bench.byProvider()).toEqual(invalidCredentials)
    expect(await bench.byProvider({ issuer: otherIssuer, subject: 'thief' })).toEqual(invalidCredentials)
    expect((await bench.signIn({ password: newPassword })).account.id).toBe(id)
    await bench.accounts.settled()
    expect(unlinked(bench)).toMatchObject([
      { accountId: id, issuer },
      { accountId: id, issuer: otherIssuer },
    ])
    const resetUrl = 'https://example.com/reset'
    expect(bench.outbox.slice(1)).toMatchObject([
      { kind: 'password-changed', to: email },
      { kind: 'provider-unlinked', to: email, data: { resetUrl, issuer } },
      { kind: 'provider-unlinked', to: email, data: { resetUrl, issuer: otherIssuer } },
    ])
  })

  test('a reset keeps the links of other accounts, and the owner links again', async () => {
    const { bench, reset } = await createReset()
    await bench.link('acc_other', '43')
    await reset()
    expect(await bench.links.get(issuer, '43')).toMatchObject({ accountId: 'acc_other' })
    const { identity } = await bench.signIn({ password: newPassword })
    const again = { ...bench.shown({ binding: `link:${identity.key}` }), identity }
    expect(await bench.accounts.linkProvider(again)).toMatchObject({ ok: true })
  })

  test.each(['listByOwner', 'remove'] as const)(
    'a reset that cannot remove the links leaves the account unchanged and its own link usable: %s',
    async (failing) => {
      let isDown = true
      const { bench, id, reset } = await createReset({
        aroundLinks: (store) => ({
          ...store,
          async [failing](...given: readonly never[]) {
            if (isDown) throw new StoreError('STORE_UNAVAILABLE', 'the store does not answer')
            return (store[failing] as (...given: readonly never[]) => never)(...given)
          },
        }),
      })
      const account = await bench.store.get(id)
      await expect(reset()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
      expect(await bench.store.get(id)).toEqual(account)
      isDown = false
      expect(await reset()).toMatchObject({ ok: true })
      expect(await bench.links.listByAccount(id)).toEqual([])
    },
  )

  test('a reset removes a link that was added at the same time', async () => {
    let isAwaited = false
    const { bench, id, reset } = await createReset({
      aroundAccounts: async (method, run) => {
        if (isAwaited && method === 'replace') await bench.link(id, 'late')
        return run()
      },
    })
    isAwaited = true
    expect(await reset()).toMatchObject({ ok: true })
    expect(await bench.links.listByAccount(id)).toEqual([])
    expect(unlinked(bench)).toHaveLength(3)
  })

  test('a reset that is overtaken after the removal of the links mails the owner about each', async () => {
    let overtake = async (): Promise<unknown> => undefined
    const { bench, id, reset } = await createReset({
      aroundAccounts: async (method, run) => {
        if (method === 'replace') await overtake()
        return run()
      },
    })
    overtake = () => bench.store.replace(id, {}, { epoch: 7 })
    expect(await reset()).toEqual(invalidLink)
    await bench.accounts.settled()
    expect(await bench.links.listByAccount(id)).toEqual([])
    const mailed = bench.outbox.slice(1).map(({ kind, to }) => [kind, to])
    expect(mailed).toEqual(Array(2).fill(['provider-unlinked', email]))
  })

  test('a reset is made even if a concurrent link cannot be searched for, and an event reports it', async () => {
    let lists = 0
    const { bench, id, reset } = await createReset({
      aroundLinks: (store) => ({
        ...store,
        async listByOwner(...given) {
          if (++lists === 2) throw new StoreError('STORE_UNAVAILABLE', 'the store does not answer')
          return store.listByOwner(...given)
        },
      }),
    })
    expect(await reset()).toMatchObject({ ok: true, status: 'password-set' })
    await bench.accounts.settled()
    const kinds = bench.outbox.slice(1).map(({ kind }) => kind)
    expect(kinds).toEqual(['password-changed', 'provider-unlinked', 'provider-unlinked'])
    const failed = { type: 'clean-up.failed', accountId: id }
    expect(bench.events).toContainEqual(expect.objectContaining(failed))
  })

  test('a refused reset keeps the links', async () => {
    const { bench, id, reset } = await createReset()
    await bench.store.replace(id, {}, { epoch: 7 })
    const before = await heldOf(bench, id)
    expect(await reset()).toEqual(invalidLink)
    expect(await heldOf(bench, id)).toEqual(before)
  })

  test('a reset with a pending second factor keeps the links until the factor is presented', async () => {
    const bench = createProvidersBench()
    const account = await bench.insert()
    const { secret } = await bench.enrollTotp(account)
    await bench.store.replace(account.id, {}, { passwordHash: null })
    await bench.link(account.id)
    bench.advance(60)
    await bench.accounts.requestPasswordReset({ email })
    const begun = await bench.accounts.resetPassword({ token: await bench.mailedToken(), newPassword })
    if (!begun.ok || begun.status !== 'second-factor-required') throw new Error('no factor was asked for')
    expect(await bench.links.listByAccount(account.id)).toHaveLength(1)
    const { challenge } = begun
    const shown = await bench.accounts.verifySecondFactor({ ...session, challenge, code: bench.codeOf(secret) })
    expect(shown).toMatchObject({ ok: true, status: 'signed-in' })
    expect(await bench.links.listByAccount(account.id)).toEqual([])
  })
})

test('a sign-up that adopts an unverified account removes its links, including concurrent links', async () => {
  let isAwaited = true
  const bench: ProvidersBench = createProvidersBench({
    aroundAccounts: async (method, run) => {
      if (isAwaited && method === 'replace') {
        isAwaited = false
        await bench.link(id, 'late')
      }
      return run()
    },
  })
  const { id } = await bench.insert({ status: 'unverified' })
  await bench.link(id)
  await bench.accounts.signUp({ email, password: newPassword, name: 'A Reader' })
  expect(await bench.accounts.verifyEmail({ token: await bench.mailedToken() })).toMatchObject({ ok: true })
  expect(await bench.links.listByAccount(id)).toEqual([])
  expect(await bench.byProvider()).toEqual(invalidCredentials)
})

describe('factors that an administrator resets', () => {
  test.each([true, false])(
    'resetFactors removes the links as well, if providers are configured: %s',
    async (isOffered) => {
      const stored = createProvidersBench()
      const { accounts } = isOffered
        ? stored
        : createProvidersBench({
            options: {
              accounts: stored.store,
              records: stored.records,
              documents: stored.documents,
              signIn: { providers: undefined },
            } as never,
          })
      const account = await stored.insert()
      await stored.enrollTotp(account)
      await stored.link(account.id)
      await stored.link(account.id, 'thief', otherIssuer)
      await stored.link('acc_other', '43')
      await stored.byProvider()
      expect(await accounts.resetFactors({ id: account.id })).toMatchObject({ id: account.id })
      expect(await stored.links.listByAccount(account.id)).toEqual([])
      expect(await stored.byProvider()).toEqual(invalidCredentials)
      expect(await stored.links.get(issuer, '43')).not.toBeNull()
    },
  )

  test('mail the owner of each, and are events', async () => {
    const { bench, id } = await createReset()
    await bench.accounts.resetFactors({ id })
    await bench.accounts.settled()
    expect(unlinked(bench).map((event) => 'issuer' in event && event.issuer)).toEqual([issuer, otherIssuer])
    expect(bench.outbox.slice(1).map(({ kind }) => kind)).toEqual([
      'factor-removed',
      'provider-unlinked',
      'provider-unlinked',
    ])
  })
})

describe('an unreadable link is removed by', () => {
  const ends = {
    'a reset of the password': (_bench: ProvidersBench, _id: string, reset: () => Promise<unknown>) => reset(),
    'a reset of the factors': ({ accounts }: ProvidersBench, id: string) => accounts.resetFactors({ id }),
    'a sign-up that takes over the account': async (bench: ProvidersBench, id: string) => {
      await bench.store.replace(id, {}, { status: 'unverified' })
      await bench.accounts.signUp({ email, password: newPassword, name: 'A Reader' })
      await bench.accounts.verifyEmail({ token: await bench.mailedToken() })
    },
  }
  const values = ['{', '{"v":99}', '']
  test.each(Object.keys(ends).flatMap((by) => values.map((value) => [by as keyof typeof ends, value] as const)))(
    '%s, as are the others, without the issuer: %s',
    async (by, value) => {
      const { bench, id, reset } = await createReset()
      const stored = async () => (await bench.documents.listByOwner(id, { collections: ['provider-link'] })).items
      const broken = (await stored())[0] ?? expect.unreachable()
      await bench.documents.replace(broken, { version: 'broken', value })
      await bench.link('acc_other', '43')
      bench.events.length = 0
      await ends[by](bench, id, reset)
      expect(await stored()).toEqual([])
      expect(await bench.links.get(issuer, '43')).not.toBeNull()
      await bench.accounts.settled()
      const issuers = unlinked(bench).map((event) => 'issuer' in event && event.issuer)
      expect(issuers).toHaveLength(2)
      expect(issuers).toContain(null)
      expect(bench.outbox.filter(({ kind }) => kind === 'provider-unlinked')).toHaveLength(
        by.startsWith('a reset') ? 1 : 0,
      )
    },
  )
})

test('a change of password by the owner keeps the links', async () => {
  const { bench, id } = await createReset()
  const { identity } = await bench.signIn()
  const change = { identity, currentPassword: 'otters read quietly at dawn', newPassword }
  expect(await bench.accounts.changePassword(change)).toMatchObject({ ok: true })
  expect(await bench.links.listByAccount(id)).toHaveLength(2)
})
