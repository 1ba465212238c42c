import { allowNativeDelivery } from '@latchkey/accounts'
import type { TokenCredentials } from '@latchkey/accounts/internal'
import { describe, expect, test, vi } from 'vitest'
import { type Bench, createBench, firstPartyFacts, invalidCredentials, presentedBy, refusalOf } from './bench.ts'
import { delay } from './stores/test-stores.ts'

async function open(bench: Bench, delivery: 'token' | 'native' = 'token'): Promise<TokenCredentials> {
  const { credentials } = await bench.signIn({ delivery })
  if (credentials.delivery === 'session') throw new Error('another delivery')
  return credentials
}

describe('refreshing', () => {
  test('returns the next tokens, with the current roles and facts', async () => {
    const bench = createBench()
    const { id } = await bench.insert()
    const first = await open(bench)
    bench.advance(800)
    const result = await bench.accounts.refresh({ token: first.refreshToken, channel: 'cookie' })
    if (!result.ok) throw new Error('refused')
    const { credentials, identity, account } = result
    expect(account.id).toBe(id)
    expect(credentials.delivery).toBe('token')
    expect(credentials.refreshToken).not.toBe(first.refreshToken)
    expect(credentials.family.key).toBe(first.family.key)
    expect(await bench.verify(credentials.accessToken)).toMatchObject({
      sub: id,
      role: 'READER',
      sid: first.family.key,
      epoch: 0,
    })
    expect(identity).toEqual({
      ...firstPartyFacts,
      subject: id,
      roles: ['READER'],
      factors: first.family.factors,
      key: first.family.key,
      lineage: first.family.key,
      via: 'bearer',
      epoch: 0,
    })
    expect(bench.events.at(-1)).toMatchObject({ type: 'family.refreshed', accountId: id, replayed: false })
  })

  test('a refresh works only on the channel on which the token was issued', async () => {
    const bench = createBench({ options: { signIn: { nativeDelivery: allowNativeDelivery } } })
    await bench.insert()
    const [cookie, native] = [await open(bench, 'token'), await open(bench, 'native')]
    const ask = (token: string, channel: 'cookie' | 'native') => bench.accounts.refresh({ token, channel })
    expect(await ask(cookie.refreshToken, 'native')).toEqual(invalidCredentials)
    expect(await ask(native.refreshToken, 'cookie')).toEqual(invalidCredentials)
    expect(await ask(cookie.refreshToken, 'cookie')).toMatchObject({ credentials: { delivery: 'token' } })
    expect(await ask(native.refreshToken, 'native')).toMatchObject({ credentials: { delivery: 'native' } })
  })

  test('a native refresh is refused unless it is allowed', async () => {
    const { accounts } = createBench()
    const refusal = await refusalOf(accounts.refresh({ token: null, channel: 'native' }))
    expect(refusal).toEqual({ code: 'DELIVERY_NOT_ALLOWED', field: 'delivery', reason: null })
  })

  test.each([[null], [''], ['garbage'], ['rt_AAAAAAAAAAAAAAAAAAAAAA.AAAA']])(
    'a refresh with the token %j is refused',
    async (token) => {
      const { accounts, events } = createBench()
      expect(await accounts.refresh({ token, channel: 'cookie' })).toEqual(invalidCredentials)
      expect(events.at(-1)).toMatchObject({ type: 'refresh.failed', accountId: null, reason: 'unknown' })
    },
  )

  test('a refresh with an old token revokes the family', async () => {
    const bench = createBench()
    const { id } = await bench.insert()
    const first = await open(bench)
    const second = await bench.accounts.refresh({ token: first.refreshToken, channel: 'cookie' })
    bench.advance(10)
    expect(await bench.accounts.refresh({ token: first.refreshToken, channel: 'cookie' })).toEqual(invalidCredentials)
    const token = second.ok ? second.credentials.refreshToken : null
    expect(await bench.accounts.refresh({ token, channel: 'cookie' })).toEqual(invalidCredentials)
    expect(await bench.accounts.listSessions(id)).toEqual([])
    const sessionKey = first.family.key
    expect(bench.events.slice(-2)).toMatchObject([
      { type: 'family.reused', accountId: id, sessionKey, durationMs: expect.any(Number) },
      { type: 'refresh.failed', accountId: null, reason: 'unknown' },
    ])
  })

  test("a refresh with an old token adds the family's tokens to the deny list", async () => {
    const bench = createBench()
    await bench.insert()
    const { family, refreshToken: token } = await open(bench)
    await bench.accounts.refresh({ token, channel: 'cookie' })
    bench.advance(10)
    const { store: accounts, records, sessions, refreshTokens, now } = bench
    const revoke = vi.fn(refreshTokens.revoke)
    const options = { accounts, records, sessions, refreshTokens: { ...refreshTokens, revoke }, now }
    const again = createBench({ options }).accounts.refresh({ token, channel: 'cookie' })
    expect(await again).toEqual(invalidCredentials)
    expect(revoke.mock.calls).toEqual([[family.key]])
  })

  test('a refresh with an old token emits its event even if no account can be read', async () => {
    let isDown = false
    const bench = createBench({
      aroundAccounts: (_call, run) => (isDown ? Promise.reject(new Error('the accounts are down')) : run()),
    })
    const { id } = await bench.insert()
    const { credentials, deviceToken } = await bench.signIn({ delivery: 'token' })
    const token = credentials.delivery === 'token' ? credentials.refreshToken : null
    await bench.accounts.refresh({ token, channel: 'cookie' })
    bench.advance(10)
    isDown = true
    const again = { token, channel: 'cookie', attempt: presentedBy(deviceToken) } as const
    expect(await bench.accounts.refresh(again)).toEqual(invalidCredentials)
    expect(bench.events.at(-1)).toMatchObject({ type: 'family.reused', accountId: id, device: null })
  })

  test.each([
    ['disabled', { status: 'disabled' }],
    ['of a newer epoch', { epoch: 1 }],
  ] as const)('a refresh for an account that is %s is refused and revokes the family', async (_what, change) => {
    const bench = createBench()
    const { id } = await bench.insert()
    const { refreshToken } = await open(bench)
    await bench.store.replace(id, {}, change)
    expect(await bench.accounts.refresh({ token: refreshToken, channel: 'cookie' })).toEqual(invalidCredentials)
    expect(await bench.sessions.list(id)).toEqual([])
    expect(bench.events.at(-1)).toMatchObject({ type: 'refresh.failed', accountId: id, reason: 'account-changed' })
  })

  test('a refresh for a removed account is refused', async () => {
    const bench = createBench()
    const { id } = await bench.insert()
    const { refreshToken } = await open(bench)
    await bench.store.remove(id)
    expect(await bench.accounts.refresh({ token: refreshToken, channel: 'cookie' })).toEqual(invalidCredentials)
  })

  test('a refresh during a change of roles leaves no token with the old roles', async () => {
    for (let round = 0; round < 40; round++) {
      const bench = createBench({ aroundRecords: delay, aroundAccounts: delay })
      const { id } = await bench.insert()
      const { refreshToken, accessToken } = await open(bench)
      const [result] = await Promise.all([
        bench.accounts.refresh({ token: refreshToken, channel: 'cookie' }),
        bench.accounts.setRoles({ id, roles: ['ADMIN'] }),
      ])
      const next = result.ok ? result.credentials : null
      for (const token of [accessToken, next?.accessToken]) {
        if (token) expect(await bench.accounts.identifyToken(await bench.verify(token))).toBeNull()
      }
      expect(await bench.accounts.refresh({ token: next?.refreshToken ?? refreshToken, channel: 'cookie' })).toEqual(
        invalidCredentials,
      )
      expect(await bench.sessions.list(id)).toEqual([])
    }
  })

  test('twenty times at once returns one and the same successor', async () => {
    const bench = createBench({ aroundRecords: delay, aroundAccounts: delay })
    await bench.insert()
    const { refreshToken } = await open(bench)
    const results = await Promise.all(
      Array.from({ length: 20 }, () => bench.accounts.refresh({ token: refreshToken, channel: 'cookie' })),
    )
    const successors = results.map((result) => (result.ok ? result.credentials.refreshToken : null))
    expect(new Set(successors).size).toBe(1)
    expect(successors[0]).not.toBeNull()
  })
})
