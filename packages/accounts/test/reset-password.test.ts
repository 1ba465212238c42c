import { StoreError } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import {
  accountOf,
  type Bench,
  countHashes,
  createBench,
  email,
  invalidCredentials,
  invalidLink,
  newPassword,
  password,
  refusalOf,
} from './bench.ts'
import { delay } from './stores/test-stores.ts'

async function askForLink(bench: Bench): Promise<string> {
  await bench.accounts.requestPasswordReset({ email })
  return bench.mailedToken()
}

describe('requesting a reset', () => {
  test('sends a link', async () => {
    const bench = createBench()
    await bench.insert()
    const token = await askForLink(bench)
    expect(bench.outbox).toMatchObject([{ to: email, url: `https://example.com/reset?token=${token}` }])
  })

  test('a reset request emits an event if its mail fails', async () => {
    const send = () => Promise.reject(new Error('the mailbox is full'))
    const bench = createBench({ options: { mails: { mailer: { send } } } })
    const { id: accountId } = await bench.insert()
    await bench.accounts.requestPasswordReset({ email })
    await bench.accounts.settled()
    expect(bench.events.at(-1)).toMatchObject({ type: 'mail.failed', accountId, purpose: 'reset-password' })
  })

  const cases = [
    ['an account', {}, email, 1],
    ['an account that was never verified', { status: 'unverified' }, email, 1],
    ['an account without a password', { passwordHash: null }, email, 1],
    ['a disabled account', { status: 'disabled' }, email, 0],
    ['an unknown address', {}, 'nobody@example.com', 0],
    ['a text that is not an address', {}, 'nobody', 0],
    ['a megabyte', {}, 'x'.repeat(1_000_000), 0],
  ] as const
  test.each(cases)(
    'a reset request for %s gets the same answer, without a hash',
    async (_what, account, address, mails) => {
      const { accounts, insert, outbox } = createBench()
      await insert(account)
      const hashes = await countHashes(async () => {
        expect(await accounts.requestPasswordReset({ email: address })).toBe(true)
        expect(outbox).toEqual([])
        await accounts.settled()
      })
      expect(hashes).toBe(0)
      expect(outbox).toHaveLength(mails)
    },
  )

  test('makes the same calls of the stores before it answers, whether or not there is an account', async () => {
    for (const [, account, address] of cases.slice(0, 5)) {
      const calls: string[] = []
      const log = (method: string, run: () => Promise<unknown>) => {
        calls.push(method)
        return run()
      }
      const { accounts, insert } = createBench({ aroundAccounts: log, aroundRecords: log })
      await insert(account)
      await accounts.requestPasswordReset({ email: address })
      expect(calls).toEqual(['getByEmail'])
      await accounts.settled()
    }
  })
})

describe('a reset', () => {
  test('a reset sets the password, revokes everything and opens no session', async () => {
    const bench = createBench()
    const { id } = await bench.insert({ epoch: 3 })
    const { credentials } = await bench.signIn()
    await bench.signIn({ delivery: 'token' })
    const token = await askForLink(bench)
    const account = await accountOf(bench.accounts.resetPassword({ token, newPassword }))
    expect(await bench.records.get(token.split('.')[0] ?? '')).toBeNull()
    expect(account).toEqual({ id, email, name: 'A Reader', roles: ['READER'], status: 'active' })
    expect((await bench.store.get(id))?.epoch).toBe(4)
    expect(await bench.sessions.list(id)).toEqual([])
    if (credentials.delivery === 'session') expect(await bench.sessions.read(credentials.credential)).toBeNull()
    expect((await bench.signIn({ password: newPassword })).status).toBe('signed-in')
    expect(await bench.accounts.signIn({ email, password, delivery: 'session' })).toEqual(invalidCredentials)
    await bench.accounts.settled()
    expect(bench.outbox.at(-1)).toMatchObject({ to: email, subject: 'Your password was changed' })
  })

  test('proves the address of an account that was never verified', async () => {
    const bench = createBench()
    await bench.insert({ status: 'unverified', passwordHash: null })
    await accountOf(bench.accounts.resetPassword({ token: await askForLink(bench), newPassword }))
    expect((await bench.signIn({ password: newPassword })).account.status).toBe('active')
  })

  test('a reset works once per link, even for parallel requests', async () => {
    const bench = createBench({ aroundRecords: delay, aroundAccounts: delay })
    const { id } = await bench.insert()
    const token = await askForLink(bench)
    const attempts = Array.from({ length: 10 }, (_, index) => `${newPassword} ${index}`)
    const outcomes = await Promise.all(
      attempts.map((chosen) => bench.accounts.resetPassword({ token, newPassword: chosen })),
    )
    const winners = outcomes.flatMap(({ ok }, index) => (ok ? [index] : []))
    expect(winners).toHaveLength(1)
    for (const outcome of outcomes) if (!outcome.ok) expect(outcome).toEqual(invalidLink)
    const refused = bench.events.filter(({ type }) => type === 'link.refused')
    expect(refused).toMatchObject(Array(9).fill({ purpose: 'reset-password' }))
    // An attempt that reads the link after it was used finds no account.
    for (const { accountId } of refused) expect([id, null]).toContain(accountId)
    expect((await bench.store.get(id))?.epoch).toBe(1)
    expect((await bench.signIn({ password: attempts[winners[0] ?? 0]! })).status).toBe('signed-in')
  })

  test('a reset with an invalid or outdated link emits an event that names the account if it is known', async () => {
    const bench = createBench()
    const { id } = await bench.insert()
    const token = await askForLink(bench)
    await bench.store.replace(id, {}, { epoch: 7 })
    for (const [link, accountId] of [
      [token, id],
      ['none', null],
    ] as const) {
      expect(await bench.accounts.resetPassword({ token: link, newPassword })).toEqual(invalidLink)
      expect(bench.events.at(-1)).toMatchObject({ type: 'link.refused', accountId, purpose: 'reset-password' })
    }
  })

  test('knows no device in a service that remembers none', async () => {
    const bench = createBench({ options: { signIn: { knownDevices: undefined as never } } })
    await bench.insert()
    const reset = bench.accounts.resetPassword({ token: await askForLink(bench), newPassword })
    expect(await reset).toMatchObject({ ok: true, deviceToken: null })
  })

  test('a reset works for one of several links', async () => {
    const bench = createBench({ aroundRecords: delay, aroundAccounts: delay })
    const { id } = await bench.insert()
    const tokens = [await askForLink(bench), await askForLink(bench)]
    const outcomes = await Promise.all(tokens.map((token) => bench.accounts.resetPassword({ token, newPassword })))
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1)
    expect((await bench.store.get(id))?.epoch).toBe(1)
  })

  test('a reset leaves the links of other addresses usable', async () => {
    const bench = createBench()
    await bench.insert()
    await bench.insert({ email: 'other@example.com' })
    const token = await askForLink(bench)
    await bench.accounts.requestPasswordReset({ email: 'other@example.com' })
    const others = await bench.mailedToken()
    expect(await bench.accounts.resetPassword({ token, newPassword })).toMatchObject({ ok: true })
    expect(await bench.accounts.resetPassword({ token: others, newPassword })).toMatchObject({ ok: true })
  })

  test('a reset with a refused password leaves the link usable', async () => {
    const bench = createBench()
    await bench.insert()
    const token = await askForLink(bench)
    for (const [chosen, reason] of [
      ['short', 'too-short'],
      [email, 'context'],
    ] as const) {
      const refusal = await refusalOf(bench.accounts.resetPassword({ token, newPassword: chosen }))
      expect(refusal).toEqual({ code: 'PASSWORD_REJECTED', field: 'newPassword', reason })
    }
    expect((await accountOf(bench.accounts.resetPassword({ token, newPassword }))).email).toBe(email)
  })
})

describe('a store that fails during a reset', () => {
  test('a store that fails before the password is set leaves the link usable and the account unchanged', async () => {
    let isDown = false
    const bench = createBench({
      aroundAccounts: async (method, run) => {
        if (isDown && method === 'replace') throw new StoreError('STORE_UNAVAILABLE', 'down')
        return run()
      },
    })
    const account = await bench.insert()
    const { credentials } = await bench.signIn()
    const token = await askForLink(bench)
    isDown = true
    await expect(bench.accounts.resetPassword({ token, newPassword })).rejects.toBeInstanceOf(StoreError)
    expect(await bench.store.get(account.id)).toEqual(account)
    if (credentials.delivery === 'session') expect(await bench.sessions.read(credentials.credential)).not.toBeNull()
    isDown = false
    expect((await accountOf(bench.accounts.resetPassword({ token, newPassword }))).id).toBe(account.id)
  })

  test('a store that fails after the password is set does not change the answer: the epoch invalidates the link and all sessions', async () => {
    let isDown = false
    const bench = createBench({
      aroundRecords: async (method, run) => {
        if (isDown && method !== 'get') throw new StoreError('STORE_UNAVAILABLE', 'down')
        return run()
      },
    })
    const { id } = await bench.insert()
    const { credentials } = await bench.signIn()
    const token = await askForLink(bench)
    isDown = true
    expect((await accountOf(bench.accounts.resetPassword({ token, newPassword }))).id).toBe(id)
    expect(bench.events.slice(-2)).toMatchObject([
      { type: 'clean-up.failed', accountId: id },
      { type: 'password.reset', accountId: id },
    ])
    isDown = false
    expect(await bench.accounts.resetPassword({ token, newPassword })).toEqual(invalidLink)
    const session = credentials.delivery === 'session' && (await bench.sessions.read(credentials.credential))
    expect(await bench.accounts.identifySession(session || null)).toBeNull()
    expect((await bench.signIn({ password: newPassword })).status).toBe('signed-in')
  })
})

describe('an invalid link changes no password and costs no hash:', () => {
  const spoilers: [string, (good: string) => string][] = [
    ['an empty text', () => ''],
    ['the bare key', (good) => good.split('.')[0]!],
    ['another secret', (good) => `${good.split('.')[0]}.${'A'.repeat(43)}`],
    ['a truncated token', (good) => good.slice(0, -1)],
    ['one of another purpose', (good) => good.replace('reset_', 'verify_')],
    ['a megabyte', () => 'reset_'.padEnd(1_000_000, 'A')],
    ['a lone surrogate', (good) => `${good.slice(0, -1)}\ud800`],
  ]
  test.each(spoilers)('%s', async (_what, spoil) => {
    const bench = createBench()
    const account = await bench.insert()
    const token = await askForLink(bench)
    const hashes = await countHashes(async () => {
      expect(await bench.accounts.resetPassword({ token: spoil(token), newPassword })).toEqual(invalidLink)
    })
    expect(hashes).toBe(0)
    expect(bench.events.at(-1)).toMatchObject({ type: 'link.refused', purpose: 'reset-password' })
    expect(await bench.store.get(account.id)).toEqual(account)
    expect((await accountOf(bench.accounts.resetPassword({ token, newPassword }))).id).toBe(account.id)
  })

  const overtakers: [string, (bench: Bench, id: string) => Promise<unknown>][] = [
    ['the link of an hour ago', async ({ advance }) => advance(3600)],
    [
      'a link from before another reset',
      async (bench) => {
        await accountOf(bench.accounts.resetPassword({ token: await askForLink(bench), newPassword }))
      },
    ],
    ['a link from before a change of roles', ({ accounts }, id) => accounts.setRoles({ id, roles: ['AUTHOR'] })],
    ['the link of an account that was disabled', ({ accounts }, id) => accounts.disable({ id })],
    [
      'the link of an account that was disabled without raising the epoch',
      ({ store }, id) => store.replace(id, {}, { status: 'disabled' }),
    ],
    [
      'the link of an account of another epoch, in a store that kept it',
      ({ store }, id) => store.replace(id, {}, { epoch: 1 }),
    ],
    ['the link of an account that was removed', ({ store }, id) => store.remove(id)],
  ]
  test.each(overtakers)('%s', async (_what, overtake) => {
    const bench = createBench()
    const { id } = await bench.insert()
    const token = await askForLink(bench)
    await overtake(bench, id)
    const before = await bench.store.get(id)
    expect(await bench.accounts.resetPassword({ token, newPassword: 'a third one, just as long' })).toEqual(invalidLink)
    expect(await bench.store.get(id)).toEqual(before)
  })

  test('the link of a sign-up', async () => {
    const bench = createBench()
    await bench.accounts.signUp({ email, password, name: 'A Reader' })
    const token = await bench.mailedToken()
    expect(await bench.accounts.resetPassword({ token, newPassword })).toEqual(invalidLink)
    expect(await bench.accounts.verifyEmail({ token })).toMatchObject({ ok: true })
  })
})
