import { unknownAttempt } from '@latchkey/accounts'
import { StoreError } from '@latchkey/store'
import { describe, expect, test, vi } from 'vitest'
import {
  accountOf,
  createBench,
  email,
  invalidCredentials,
  invalidLink,
  newPassword,
  password,
  passwords,
} from './bench.ts'
import { createGate, delay } from './stores/test-stores.ts'

const input = { email, password, name: 'A Reader' }
const at = (events: readonly { type: string }[], type: string) => events.filter((event) => event.type === type)

describe('the link of a sign-up', () => {
  test('a link works once', async () => {
    const { accounts, mailedToken, events } = createBench()
    await accounts.signUp(input)
    const token = await mailedToken()
    const account = await accountOf(accounts.verifyEmail({ token }))
    expect(await accounts.verifyEmail({ token })).toEqual(invalidLink)
    expect(at(events, 'email.verified')).toMatchObject([
      { type: 'email.verified', accountId: account.id, at: 1_800_000_000_000 },
    ])
    expect(at(events, 'link.refused')).toMatchObject([{ purpose: 'verify-email' }])
  })

  test('verifyEmail takes a hashing place by address for a presented password, and none without a password', async () => {
    const verify = vi.fn(passwords.verify)
    const { accounts, mailedToken, outbox } = createBench({ options: { passwordHasher: { ...passwords, verify } } })
    await accounts.signUp(input)
    const token = await mailedToken()
    const attempt = { ...unknownAttempt, address: '203.0.113.9' }
    expect(await accounts.verifyEmail({ token, password: newPassword, attempt })).toMatchObject({ hasPassword: false })
    expect(verify.mock.calls).toEqual([[newPassword, expect.any(String), { lane: 'idle', client: '203.0.113.9' }]])
    await accounts.settled()
    expect(outbox.at(-1)).toMatchObject({ kind: 'choose-password', data: { occasion: 'new-account' } })
    verify.mockClear()
    await accounts.signUp({ ...input, email: 'other@example.com' })
    expect(await accounts.verifyEmail({ token: await mailedToken() })).toMatchObject({ hasPassword: false })
    expect(verify).not.toHaveBeenCalled()
  })

  test('a used link stays invalid after its account is removed', async () => {
    const { accounts, mailedToken, store } = createBench()
    await accounts.signUp(input)
    const token = await mailedToken()
    const account = await accountOf(accounts.verifyEmail({ token }))
    await store.remove(account.id)
    expect(await accounts.verifyEmail({ token })).toEqual(invalidLink)
  })

  test('a slow second use of a link creates no account after the account of the first use is deleted', async () => {
    const [reached, gate] = [createGate(), createGate()]
    let isSlow = false
    const { accounts, mailedToken, signIn, store, events } = createBench({
      options: { deletion: { onDelete: async () => {} } },
      async aroundAccounts(method, run) {
        if (!isSlow || method !== 'getByEmail') return run()
        isSlow = false
        reached.open()
        await gate.passed
        return run()
      },
    })
    await accounts.signUp(input)
    const token = await mailedToken()
    isSlow = true
    const slow = accounts.verifyEmail({ token, password })
    await reached.passed
    await accountOf(accounts.verifyEmail({ token, password }))
    expect(await accounts.deleteAccount({ identity: (await signIn()).identity })).toEqual({ ok: true })
    gate.open()
    expect(await slow).toEqual(invalidLink)
    expect(await store.getByEmail(email)).toBeNull()
    expect(at(events, 'account.created')).toHaveLength(1)
    await accounts.signUp(input)
    expect(await accounts.verifyEmail({ token: await mailedToken() })).toMatchObject({ ok: true })
  })

  test('one of many parallel uses of a link wins', async () => {
    const { accounts, mailedToken } = createBench({ aroundRecords: delay, aroundAccounts: delay })
    await accounts.signUp(input)
    const token = await mailedToken()
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => accounts.verifyEmail({ token })))
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1)
    expect((await accounts.list()).items).toHaveLength(1)
  })

  test('a link expires after a day by default', async () => {
    const day = createBench()
    await day.accounts.signUp(input)
    const token = await day.mailedToken()
    day.advance(86_400)
    expect(await day.accounts.verifyEmail({ token })).toEqual(invalidLink)
    const minute = createBench({ options: { mails: { linkSeconds: { verifyEmail: 60 } } } })
    await minute.accounts.signUp(input)
    const [early, late] = [await minute.mailedToken(), await minute.mailedToken()]
    minute.advance(59)
    expect(await minute.accounts.verifyEmail({ token: early })).toMatchObject({ ok: true })
    minute.advance(1)
    expect(await minute.accounts.verifyEmail({ token: late })).toEqual(invalidLink)
  })

  test('overwrites no account that was created in the meantime', async () => {
    const { accounts, mailedToken, insert, store } = createBench()
    await accounts.signUp({ ...input, password: newPassword })
    const token = await mailedToken()
    const account = await insert()
    expect(await accounts.verifyEmail({ token })).toEqual(invalidLink)
    expect(await store.getByEmail(email)).toEqual(account)
  })

  test('creates no account after sign-up was closed', async () => {
    const open = createBench()
    await open.accounts.signUp(input)
    const token = await open.mailedToken()
    const closed = createBench({ options: { signUp: 'closed', records: open.records } })
    expect(await closed.accounts.verifyEmail({ token })).toEqual(invalidLink)
  })

  test('hands an imported account that was never verified to the owner of its address', async () => {
    const { accounts, mailedToken, insert, store, signIn } = createBench()
    const imported = await insert({ status: 'unverified', roles: ['AUTHOR'], epoch: 4 })
    await accounts.signUp({ ...input, password: newPassword, name: 'Another Name' })
    const account = await accountOf(accounts.verifyEmail({ token: await mailedToken(), password: newPassword }))
    expect(account).toEqual({ id: imported.id, email, name: 'A Reader', roles: ['AUTHOR'], status: 'active' })
    expect((await store.get(imported.id))?.epoch).toBe(5)
    expect((await signIn({ password: newPassword })).account.id).toBe(imported.id)
    expect(await accounts.signIn({ email, password, delivery: 'session' })).toEqual(invalidCredentials)
  })
})

test.each([{ status: 'disabled' }, { status: 'active', epoch: 1 }, { epoch: 1 }] as const)(
  'the link of a sign-up does not adopt an imported account that has changed in the meantime: %j',
  async (change) => {
    const bench = createBench({
      aroundAccounts: async (method, run) => {
        if (method === 'replace') await bench.store.replace(imported.id, {}, change)
        return run()
      },
    })
    const imported = await bench.insert({ status: 'unverified' })
    await bench.accounts.signUp({ ...input, password: newPassword })
    const token = await bench.mailedToken()
    expect(await bench.accounts.verifyEmail({ token, password: newPassword })).toEqual(invalidLink)
    expect(await bench.store.get(imported.id)).toEqual({ ...imported, ...change })
  },
)

describe('a store that fails while a link is followed', () => {
  test.each(['insert', 'getByEmail'])(
    'before the account is created, at %s, leaves the link usable',
    async (failing) => {
      let isDown = false
      const { accounts, mailedToken, signIn } = createBench({
        aroundAccounts: async (method, run) => {
          if (isDown && method === failing) throw new StoreError('STORE_UNAVAILABLE', 'down')
          return run()
        },
      })
      await accounts.signUp(input)
      const token = await mailedToken()
      isDown = true
      await expect(accounts.verifyEmail({ token })).rejects.toBeInstanceOf(StoreError)
      isDown = false
      expect((await accountOf(accounts.verifyEmail({ token, password }))).email).toBe(email)
      expect((await signIn()).status).toBe('signed-in')
    },
  )

  test('after the account is created changes no answer, and the link is no longer valid', async () => {
    let isDown = false
    const { accounts, mailedToken, events } = createBench({
      aroundRecords: async (method, run) => {
        if (isDown && method !== 'get') throw new StoreError('STORE_UNAVAILABLE', 'down')
        return run()
      },
    })
    await accounts.signUp(input)
    const token = await mailedToken()
    isDown = true
    const account = await accountOf(accounts.verifyEmail({ token, password }))
    expect(account.email).toBe(email)
    expect(at(events, 'clean-up.failed')).toMatchObject([
      { accountId: account.id, failure: expect.stringMatching(/^\w+$/) },
    ])
    isDown = false
    expect(await accounts.verifyEmail({ token })).toEqual(invalidLink)
    expect((await accounts.list()).items).toHaveLength(1)
  })
})

describe('a token that is not of a sign-up link creates no account:', () => {
  const spoilers: [string, (good: string) => string][] = [
    ['an empty text', () => ''],
    ['the bare key', (good) => good.split('.')[0]!],
    ['another secret', (good) => `${good.split('.')[0]}.${'A'.repeat(43)}`],
    ['a truncated token', (good) => good.slice(0, -1)],
    ['one of another purpose', (good) => good.replace('verify_', 'reset_')],
    ['two of them', (good) => good + good],
    ['a megabyte', () => 'verify_'.padEnd(1_000_000, 'A')],
    ['a lone surrogate', (good) => `${good.slice(0, -1)}\ud800`],
    ['the name of an object', () => '__proto__'],
  ]
  test.each(spoilers)('%s', async (_what, spoil) => {
    const { accounts, mailedToken } = createBench()
    await accounts.signUp(input)
    const token = await mailedToken()
    expect(await accounts.verifyEmail({ token: spoil(token) })).toEqual(invalidLink)
    expect((await accounts.list()).items).toEqual([])
    expect(await accounts.verifyEmail({ token })).toMatchObject({ ok: true })
  })

  test('the link of a password reset', async () => {
    const { accounts, mailedToken, insert } = createBench()
    await insert()
    await accounts.requestPasswordReset({ email })
    const token = await mailedToken()
    expect(await accounts.verifyEmail({ token })).toEqual(invalidLink)
    expect((await accountOf(accounts.resetPassword({ token, newPassword }))).email).toBe(email)
  })
})

describe('a link can be checked before it is used', () => {
  test('checkLink leaves the link of a sign-up usable until verifyEmail uses it', async () => {
    const { accounts, events, mailedToken, insert } = createBench()
    await accounts.signUp({ email: 'new@example.com', password, name: 'A Reader' })
    const sent = await mailedToken()
    const { email: to } = await insert()
    await accounts.requestPasswordReset({ email: to })
    const reset = await mailedToken()
    const told = events.length
    for (let times = 0; times < 2; times++) {
      expect(await accounts.checkLink({ purpose: 'verify-email', token: sent })).toMatchObject({ ok: true })
      const valid = { ok: true, signUp: null }
      expect(await accounts.checkLink({ purpose: 'reset-password', token: reset })).toEqual(valid)
    }
    const invalid = { ok: false, reason: 'link-invalid' }
    expect(await accounts.checkLink({ purpose: 'reset-password', token: sent })).toEqual(invalid)
    expect(await accounts.checkLink({ purpose: 'verify-email', token: reset })).toEqual(invalid)
    const refused = {
      ...{ type: 'link.refused', accountId: null },
      ...{ address: null, device: null, channel: 'native', requestId: null },
    }
    expect(events.slice(told)).toMatchObject([
      { ...refused, purpose: 'reset-password' },
      { ...refused, purpose: 'verify-email' },
    ])
    expect((await accounts.verifyEmail({ token: sent })).ok).toBe(true)
    expect((await accounts.resetPassword({ token: reset, newPassword: 'seven kettles hum along' })).ok).toBe(true)
    expect(await accounts.checkLink({ purpose: 'verify-email', token: sent })).toEqual(invalid)
    expect(await accounts.checkLink({ purpose: 'reset-password', token: reset })).toEqual(invalid)
  })

  test('checkLink reads no record for a malformed token, and never an account', async () => {
    const calls: string[] = []
    const { accounts } = createBench({
      aroundRecords: (call, run) => {
        calls.push(call)
        return run()
      },
      aroundAccounts: (call, run) => {
        calls.push(`accounts.${call}`)
        return run()
      },
    })
    for (const purpose of ['verify-email', 'reset-password'] as const) {
      for (const token of ['', 'garbage', 'verify_short.short', '\0', 'x'.repeat(5000)]) {
        expect(await accounts.checkLink({ purpose, token })).toEqual({ ok: false, reason: 'link-invalid' })
      }
    }
    expect(calls).toEqual([])
    const unknown = `verify_${'A'.repeat(22)}.${'A'.repeat(43)}`
    expect(await accounts.checkLink({ purpose: 'verify-email', token: unknown })).toMatchObject({ ok: false })
    expect(calls).toEqual(['get'])
  })
})
