import { allowNativeDelivery } from '@latchkey/accounts'
import type { SignInSuccess } from '@latchkey/accounts/internal'
import { describe, expect, test } from 'vitest'
import { invalidCredentials } from '../bench.ts'
import { challengeOf } from '../factors/factors-bench.ts'
import {
  createProvidersBench,
  issuer,
  otherIssuer,
  type ProvidersBench,
  session,
  successOf,
} from './providers-bench.ts'

const open = async ({ sessions }: ProvidersBench, id: string) => (await sessions.list(id)).map(({ key }) => key).sort()

/** An account that is signed in to by two sessions of a provider, by another provider, and by its password. */
async function createScene() {
  const bench = createProvidersBench({ options: { signIn: { nativeDelivery: allowNativeDelivery } } })
  const { id } = await bench.insert()
  await bench.link(id)
  await bench.link(id, '43')
  await bench.link(id, '42', otherIssuer)
  const signIn = async (change: object, delivery: 'session' | 'native' = 'session') =>
    (await successOf(bench.byProvider(change, { delivery }))).identity.key
  return {
    bench,
    id,
    first: await signIn({ sid: 's1' }),
    family: await signIn({ sid: 's1' }, 'native'),
    second: await signIn({ sid: 's2' }),
    unnamed: await signIn({}),
    otherUser: await signIn({ subject: '43', sid: 's3' }),
    otherProvider: await signIn({ issuer: otherIssuer, sid: 's1' }),
    byPassword: (await bench.signIn()).identity.key,
  }
}
type Scene = Awaited<ReturnType<typeof createScene>>
type Opened = Exclude<keyof Scene, 'bench' | 'id'>

describe('a logout at a provider', () => {
  test.each<[object, readonly Opened[]]>([
    [{ subject: null, sid: 's1' }, ['first', 'family']],
    [{ subject: '42', sid: 's1' }, ['first', 'family']],
    [{ subject: '42', sid: 's2' }, ['second']],
    [{ subject: '42', sid: null }, ['first', 'family', 'second', 'unnamed']],
    [{ subject: '43', sid: null }, ['otherUser']],
    [{ subject: '43', sid: 's1' }, []],
    [{ subject: '42', sid: 's9' }, []],
    [{ subject: '99', sid: null }, []],
    [{ issuer: otherIssuer, subject: null, sid: 's1' }, ['otherProvider']],
    [{ issuer: otherIssuer, subject: '42', sid: null }, ['otherProvider']],
    [{ issuer: 'https://evil.example.net', subject: '42', sid: 's1' }, []],
  ])('ends what came of it and nothing else: %j', async (logout, ended) => {
    const scene = await createScene()
    const { bench, id } = scene
    const before = await open(bench, id)
    const input = { issuer, ...logout } as { issuer: string; subject: string | null; sid: string | null }
    expect(await bench.accounts.endProviderSessions(input)).toBe(ended.length)
    const gone = new Set(ended.map((name) => scene[name]))
    expect(await open(bench, id)).toEqual(before.filter((key) => !gone.has(key)))
    const events = bench.events.flatMap((event) => (event.type === 'session.ended' ? [event] : []))
    expect(new Set(events.map(({ sessionKey }) => sessionKey))).toEqual(gone)
    expect(events.every(({ reason, accountId }) => reason === 'provider' && accountId === id)).toBe(true)
    expect(await bench.accounts.endProviderSessions(input)).toBe(0)
  })

  test('finds a session, and a family, that has been renewed by a fresh proof since', async () => {
    for (const delivery of ['session', 'native'] as const) {
      const bench = createProvidersBench({ options: { signIn: { nativeDelivery: allowNativeDelivery } } })
      const { id } = await bench.insert()
      await bench.link(id)
      const { identity } = await successOf(bench.byProvider({ sid: 's1' }, { delivery }))
      const confirm = { ...bench.shown({ binding: `confirm:${identity.key}`, sid: 's1' }), identity }
      expect(await bench.accounts.confirmProvider(confirm)).toMatchObject({ ok: true })
      expect(await open(bench, id)).not.toContain(identity.key)
      expect(await bench.accounts.endProviderSessions({ issuer, subject: null, sid: 's1' })).toBe(1)
      expect(await open(bench, id)).toEqual([])
    }
  })

  test.each([
    { subject: null, sid: 's1' },
    { subject: '42', sid: 's1' },
    { subject: '42', sid: null },
  ])('a logout rejects a sign-in with a pending second factor: %j', async (logout) => {
    const bench = createProvidersBench()
    const account = await bench.insert()
    await bench.link(account.id)
    const { secret } = await bench.enrollTotp(account)
    bench.advance(30)
    const challenge = await challengeOf(bench.byProvider({ sid: 's1' }))
    const before = await open(bench, account.id)
    expect(await bench.accounts.endProviderSessions({ issuer, ...logout })).toBe(0)
    const answer = { ...session, challenge, code: bench.codeOf(secret) }
    expect(await bench.accounts.verifySecondFactor(answer)).toEqual(invalidCredentials)
    expect(bench.events.at(-1)).toMatchObject({ type: 'sign-in.failed', reason: 'session-revoked' })
    expect(await open(bench, account.id)).toEqual(before)
  })

  test.each([
    { subject: null, sid: 's1' },
    { subject: '42', sid: null },
  ])('a logout revokes a session that is being opened: %j', async (ended) => {
    let logout: Promise<number> | null = null
    const bench = createProvidersBench({
      aroundRecords: async (method, run) => {
        const isFirst = method === 'listByOwner' && logout === null && bench.events.length === 0
        if (isFirst) {
          logout = Promise.resolve(0)
          const done = await run()
          logout = bench.accounts.endProviderSessions({ issuer, ...ended })
          await logout
          return done
        }
        return run()
      },
    })
    const { id } = await bench.insert()
    await bench.link(id)
    expect(await bench.byProvider({ sid: 's1' })).toEqual(invalidCredentials)
    expect(await open(bench, id)).toEqual([])
  })

  test('a logout revokes a stored session, and the event gives the reason', async () => {
    let lists = 0
    const bench = createProvidersBench({
      async aroundRecords(method, run) {
        // Two are read before the session is stored, of the session and of the user at the provider, and both again after it.
        if (method === 'listByOwner' && ++lists === 3)
          await bench.accounts.endProviderSessions({ issuer, subject: '42', sid: null })
        return run()
      },
    })
    const { id } = await bench.insert()
    await bench.link(id)
    expect(await bench.byProvider({ sid: 's1' })).toEqual(invalidCredentials)
    expect(bench.events.at(-1)).toMatchObject({ type: 'sign-in.failed', accountId: id, reason: 'session-revoked' })
    expect(await open(bench, id)).toEqual([])
  })

  test('a logout finds a session that was opened later from a year-old session', async () => {
    const bench = createProvidersBench({ options: { signIn: { nativeDelivery: allowNativeDelivery } } })
    const { id } = await bench.insert()
    await bench.link(id)
    await bench.byProvider({ sid: 's1' })
    bench.advance(365 * 86_400)
    await successOf(bench.byProvider({ sid: 's1' }, { delivery: 'native' }))
    bench.advance(10 * 86_400)
    expect(await bench.accounts.endProviderSessions({ issuer, subject: null, sid: 's1' })).toBe(1)
    expect(await open(bench, id)).toEqual([])
  })

  test('a logout keeps open sessions when the revoked session is presented again', async () => {
    const bench = createProvidersBench()
    const { id } = await bench.insert()
    await bench.link(id)
    const { credentials } = await bench.signIn()
    if (credentials.delivery !== 'session') throw new Error('no session')
    await bench.accounts.endProviderSessions({ issuer, subject: null, sid: 's1' })
    const before = await bench.records.listByOwner(id)
    expect(await bench.byProvider({ sid: 's1' }, { replaces: credentials.session })).toEqual(invalidCredentials)
    expect(bench.events.at(-1)).toMatchObject({ type: 'sign-in.failed', reason: 'session-revoked' })
    expect(await bench.records.listByOwner(id)).toEqual(before)
  })

  test.each(['session', 'native'] as const)('a logout revokes a %s that is being renewed', async (delivery) => {
    let renew: (() => Promise<unknown>) | null = null
    const bench = createProvidersBench({
      options: { signIn: { nativeDelivery: allowNativeDelivery } },
      aroundRecords: async (method, run) => {
        const first = method === 'remove' ? renew : null
        if (first) renew = null
        await first?.()
        return run()
      },
    })
    const { id } = await bench.insert()
    await bench.link(id)
    const { identity } = await successOf(bench.byProvider({ sid: 's1' }, { delivery }))
    const confirm = { ...bench.shown({ binding: `confirm:${identity.key}`, sid: 's1' }), identity }
    renew = async () => expect(await bench.accounts.confirmProvider(confirm)).toMatchObject({ ok: true })
    expect(await bench.accounts.endProviderSessions({ issuer, subject: null, sid: 's1' })).toBe(1)
    expect(await open(bench, id)).toEqual([])
  })

  test('a logout throws if sessions are renewed without end, and does not report success', async () => {
    const bench = createProvidersBench({
      aroundRecords: async (method, run) => (method === 'remove' ? (false as never) : run()),
    })
    const { id } = await bench.insert()
    await bench.link(id)
    await successOf(bench.byProvider({ sid: 's1' }))
    const ending = bench.accounts.endProviderSessions({ issuer, subject: null, sid: 's1' })
    await expect(ending).rejects.toThrow('kept being renewed')
  })

  test('a logout reads the open sessions once if all of them are revoked', async () => {
    const seen: string[] = []
    const bench = createProvidersBench({
      aroundRecords(method, run) {
        seen.push(method)
        return run()
      },
    })
    const { id } = await bench.insert()
    await bench.link(id)
    await successOf(bench.byProvider())
    await successOf(bench.byProvider())
    seen.length = 0
    expect(await bench.accounts.endProviderSessions({ issuer, subject: '42', sid: null })).toBe(2)
    expect(seen.filter((method) => method === 'listByOwner')).toHaveLength(1)
  })

  test('a logout does not affect a later sign-in at the provider', async () => {
    const bench = createProvidersBench()
    const { id } = await bench.insert()
    await bench.link(id)
    await bench.byProvider({ sid: 's1' })
    await bench.accounts.endProviderSessions({ issuer, subject: '42', sid: 's1' })
    expect(await bench.byProvider({ sid: 's2' })).toMatchObject({ ok: true })
    expect(await bench.accounts.endProviderSessions({ issuer, subject: '42', sid: null })).toBe(1)
  })

  test('a logout of all sessions of a user affects no later sign-in, no other user, and no session named like the user', async () => {
    const bench = createProvidersBench()
    const { id } = await bench.insert()
    await bench.link(id)
    await bench.link(id, '43')
    await bench.accounts.endProviderSessions({ issuer, subject: '42', sid: null })
    expect(await bench.byProvider()).toEqual(invalidCredentials)
    expect(await bench.byProvider({ subject: '43', sid: '42' })).toMatchObject({ ok: true })
    bench.advance(1)
    expect(await bench.byProvider()).toMatchObject({ ok: true })
  })

  test.each([
    { subject: null, sid: null },
    { subject: undefined, sid: undefined },
    { subject: '42', sid: undefined },
    { subject: '', sid: null },
    { subject: null, sid: 7 },
    { issuer: '', sid: 's1' },
  ])('a logout without a user and a session throws a TypeError: %o', async (named) => {
    const { accounts } = createProvidersBench()
    const nothing = accounts.endProviderSessions({ issuer, subject: null, ...named } as never)
    await expect(nothing).rejects.toThrow('must be a verdict of "verifyLogoutToken" that is "ok"')
  })

  test('a logout rejects with the error of a failing store before any session is reported as revoked', async () => {
    const bench = createProvidersBench({
      aroundLinks: (store) => ({ ...store, get: () => Promise.reject(new Error('the store does not answer')) }),
    })
    const ending = bench.accounts.endProviderSessions({ issuer, subject: '42', sid: null })
    await expect(ending).rejects.toThrow('the store does not answer')
    expect(bench.events).toEqual([])
  })
})

test('a session keeps its provider if it replaces another session of the account, and other sessions do not', async () => {
  const bench = createProvidersBench()
  const { id } = await bench.insert()
  await bench.link(id)
  const { credentials }: SignInSuccess = await successOf(bench.byProvider({ sid: 's1' }))
  if (credentials.delivery !== 'session') throw new Error('no session')
  const provider = { issuer, subject: '42', sid: 's1' }
  expect(await bench.sessions.list(id)).toMatchObject([{ provider }])
  const { identity } = await bench.signIn({ replaces: credentials.session })
  expect(await bench.sessions.list(id)).toMatchObject([{ key: identity.key }])
  expect((await bench.sessions.list(id))[0]).not.toHaveProperty('provider')
})
