import { type ProviderIdentity, unknownAttempt } from '@latchkey/accounts'
import { describe, expect, test } from 'vitest'
import { email, invalidCredentials, refusalOf } from '../bench.ts'
import { createProvidersBench, heldOf, issuer, type ProvidersBenchOptions, successOf } from './providers-bench.ts'

const opening = { providers: { newAccounts: 'verified-email' } } as const satisfies ProvidersBenchOptions
const accountsOf = async ({ accounts }: ReturnType<typeof createProvidersBench>) => (await accounts.list()).items

describe('a user of a provider whom no account is linked to', () => {
  test('gets an account with the verified address, the name of the provider and the role of a sign-up', async () => {
    const bench = createProvidersBench(opening)
    const { account, identity } = await successOf(bench.byProvider({ email: 'Provided@Example.com' }))
    expect(account).toEqual({
      id: identity.subject,
      email: 'provided@example.com',
      name: 'Provided Name',
      roles: ['READER'],
      status: 'active',
    })
    expect(await bench.store.get(account.id)).toMatchObject({ passwordHash: null, epoch: 0 })
    expect(await bench.accounts.linkedProviders(account.id)).toMatchObject([{ issuer, createdAt: bench.now() }])
    const types = bench.events.map(({ type }) => type)
    expect(types).toEqual(['account.created', 'provider.linked', 'session.created'])
    for (const event of bench.events)
      expect(event).toMatchObject({ accountId: account.id, channel: unknownAttempt.channel })
  })

  test('gets an account with a store without reservations as well', async () => {
    const bench = createProvidersBench({ ...opening, aroundReservations: () => null })
    expect(await bench.byProvider()).toMatchObject({ ok: true })
  })

  test('signs in to the new account the next time, whichever address the provider then reports', async () => {
    const bench = createProvidersBench(opening)
    const { account } = await successOf(bench.byProvider())
    const again = await successOf(bench.byProvider({ email: 'other@example.com', emailVerified: false }))
    expect(again.account).toEqual(account)
    expect(await accountsOf(bench)).toHaveLength(1)
  })

  test.each<[string, ProviderIdentity['claims'] | undefined, string]>([
    ['the name', { name: '  A Person ' }, 'A Person'],
    ['what it prefers to be called', { name: ' ', preferred_username: 'person' }, 'person'],
    ['the nickname', { name: 7, nickname: 'pat' }, 'pat'],
    ['what stands before the @', { name: 'a\u202eb' }, 'provided'],
    ['the same without claims', undefined, 'provided'],
  ])('is called as the claims say, in order: %s', async (_what, claims, name) => {
    const bench = createProvidersBench(opening)
    const { account } = await successOf(bench.byProvider({ claims } as Partial<ProviderIdentity>))
    expect(account.name).toBe(name)
  })

  test('is named after the whole address if the part before the @ is not a valid name', async () => {
    const bench = createProvidersBench(opening)
    const { account } = await successOf(bench.byProvider({ claims: {}, email: '\u0301@example.com' }))
    expect(account.name).toBe('\u0301@example.com')
  })

  test.each<[string, ProvidersBenchOptions]>([
    ['by default', {}],
    ['where the option says so', { providers: { newAccounts: 'closed' } }],
    ['where sign-up is closed', { ...opening, options: { signUp: 'closed' } }],
  ])('gets no account and is refused: %s', async (_what, options) => {
    const bench = createProvidersBench(options)
    expect(await bench.byProvider()).toEqual(invalidCredentials)
    expect(bench.events).toMatchObject([{ type: 'sign-in.failed', reason: 'unknown-account', accountId: null }])
    expect(await accountsOf(bench)).toEqual([])
    expect(await bench.links.get(issuer, '42')).toBeNull()
  })

  test.each<[string, Partial<ProviderIdentity>]>([
    ['one that is not verified', { emailVerified: false }],
    ['one that is said to be verified by a text', { emailVerified: 'true' as never }],
    ['none', { email: null }],
    ['none that is one', { email: 'nobody' }],
  ])('gets no account without a verified address: %s', async (_what, shown) => {
    const bench = createProvidersBench(opening)
    expect(await refusalOf(bench.byProvider(shown))).toMatchObject({ code: 'EMAIL_UNVERIFIED', field: 'email' })
    expect(await accountsOf(bench)).toEqual([])
    expect(await bench.links.get(issuer, '42')).toBeNull()
    expect(bench.events).toMatchObject([{ type: 'sign-in.failed', reason: 'email-unverified', accountId: null }])
  })

  test.each(['active', 'unverified', 'disabled', 'locked'] as const)(
    'is refused the address of an account that is %s, and the accounts are unchanged',
    async (status) => {
      const bench = createProvidersBench(opening)
      const { id } = await bench.insert({ status })
      const before = await heldOf(bench, id)
      const shown = { email: email.toUpperCase() }
      expect(await refusalOf(bench.byProvider(shown))).toMatchObject({ code: 'EMAIL_IN_USE', field: 'email' })
      expect(await heldOf(bench, id)).toEqual(before)
      expect(await bench.links.get(issuer, '42')).toBeNull()
      expect(await accountsOf(bench)).toHaveLength(1)
      expect(bench.events).toMatchObject([{ type: 'sign-in.failed', reason: 'email-held', accountId: null }])
    },
  )

  test('is refused an address that was taken after the lookup, and leaves no link', async () => {
    const bench = createProvidersBench({
      ...opening,
      aroundAccounts: async (method, run) => {
        if (method === 'insert') await bench.insert({ email: 'provided@example.com' })
        return run()
      },
    })
    expect(await refusalOf(bench.byProvider())).toMatchObject({ code: 'EMAIL_IN_USE' })
    expect(await bench.links.get(issuer, '42')).toBeNull()
    expect(await accountsOf(bench)).toHaveLength(1)
    expect(bench.events).toMatchObject([{ type: 'sign-in.failed', reason: 'email-held', accountId: null }])
  })

  test('gets no account by a callback that was started in a session', async () => {
    const bench = createProvidersBench(opening)
    expect(await bench.byProvider({ binding: 'se_1' })).toEqual(invalidCredentials)
    expect(bench.events).toMatchObject([{ type: 'sign-in.failed', reason: 'other-session' }])
    expect(await accountsOf(bench)).toEqual([])
  })
})

describe('fifty sign-ins at once', () => {
  test('parallel sign-ins of one user create one account with one link and one session', async () => {
    const bench = createProvidersBench(opening)
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => bench.byProvider()))
    const [account, ...others] = await accountsOf(bench)
    expect(others).toEqual([])
    expect(await bench.links.get(issuer, '42')).toMatchObject({ accountId: account?.id })
    const opened = results.filter((result) => result.status === 'fulfilled' && result.value.ok)
    expect(opened.length).toBeGreaterThan(0)
    expect(await bench.sessions.list(account?.id ?? '')).toHaveLength(opened.length)
    expect(bench.events.filter(({ type }) => type === 'account.created')).toHaveLength(1)
  })

  test('parallel sign-ins of fifty users with one address create one account', async () => {
    const bench = createProvidersBench(opening)
    const users = Array.from({ length: 50 }, (_none, index) => bench.byProvider({ subject: `user ${index}` }))
    const results = await Promise.allSettled(users)
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []))
    expect(refused).toEqual(Array(49).fill('EMAIL_IN_USE'))
    const [account, ...others] = await accountsOf(bench)
    expect(others).toEqual([])
    expect(await bench.links.listByAccount(account?.id ?? '')).toHaveLength(1)
    for (const [index, result] of results.entries())
      expect((await bench.links.get(issuer, `user ${index}`)) !== null).toBe(result.status === 'fulfilled')
  })
})

describe('an account that was not opened after its link', () => {
  test('the account is created with another id once no earlier sign-in can be in progress', async () => {
    const bench = createProvidersBench(opening)
    await bench.link('acc_gone')
    bench.advance(59)
    expect(await bench.byProvider()).toEqual(invalidCredentials)
    expect(bench.events.at(-1)).toMatchObject({ type: 'sign-in.failed', reason: 'unknown-account' })
    bench.advance(1)
    const { account } = await successOf(bench.byProvider())
    expect(account.id).not.toBe('acc_gone')
    expect(await bench.links.listByAccount('acc_gone')).toEqual([])
  })

  test('the account exists if the store fails after it has written the row', async () => {
    let fails = true
    const bench = createProvidersBench({
      ...opening,
      aroundAccounts: async (method, run) => {
        const done = await run()
        if (method === 'insert' && fails) {
          fails = false
          throw new Error('the answer was lost')
        }
        return done
      },
    })
    await expect(bench.byProvider()).rejects.toThrow('the answer was lost')
    expect(await bench.byProvider()).toMatchObject({ ok: true })
    expect(await accountsOf(bench)).toHaveLength(1)
  })
})
