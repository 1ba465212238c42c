import { allowNativeDelivery, unknownAttempt } from '@latchkey/accounts'
import { readProviders } from '@latchkey/accounts/internal'
import { describe, expect, test } from 'vitest'
import { invalidCredentials, refusalOf } from '../bench.ts'
import { createProvidersBench, issuer, successOf } from './providers-bench.ts'

describe('the methods of a provider that is trusted with them', () => {
  test.each<[string, string]>([
    ['pwd otp', 'know+have'],
    ['pwd hwk', 'know+have'],
    ['pwd swk', 'know+have'],
    ['pwd sc', 'know+have'],
    ['pwd sms', 'know+have'],
    ['pwd tel', 'know+have'],
    ['pin otp', 'know+have'],
    ['kba otp', 'know+have'],
    ['mfa', 'know+have'],
    ['face otp', 'are+have'],
    ['fpt otp', 'are+have'],
    ['iris otp', 'are+have'],
    ['retina otp', 'are+have'],
    ['vbm otp', 'are+have'],
    ['pwd', 'know'],
    ['face', 'know'],
    ['otp', 'know'],
    ['user geo wia', 'know'],
  ])('show of %s: %s', async (methods, category) => {
    const bench = createProvidersBench({ providers: { trustedAmr: [issuer] } })
    const { id } = await bench.insert()
    await bench.link(id)
    const { identity } = await successOf(bench.byProvider({ amr: methods.split(' ') }))
    expect(identity.factors).toEqual([{ kind: 'provider', at: bench.now(), category }])
  })

  test('count, and undated callbacks are fresh, only for a configured issuer', () => {
    const none = new Set<string>()
    const expected = { opensAccounts: false, trustedAmr: none, undatedProofs: none }
    expect(readProviders({})).toEqual(expected)
    expect(readProviders({ trustedAmr: [issuer] })).toEqual({ ...expected, trustedAmr: new Set([issuer]) })
    expect(readProviders({ undatedProofs: [issuer] })).toEqual({ ...expected, undatedProofs: new Set([issuer]) })
  })
})

describe('a callback that proves again who is signed in', () => {
  async function signedIn(delivery: 'session' | 'native') {
    const bench = createProvidersBench({ options: { signIn: { nativeDelivery: allowNativeDelivery } } })
    const { id } = await bench.insert()
    await bench.link(id)
    const { identity } = await successOf(bench.byProvider({}, { delivery }))
    return { bench, id, identity, confirm: { ...bench.shown({ binding: `confirm:${identity.key}` }), identity } }
  }

  test('confirmProvider emits an event with the renewed session', async () => {
    const { bench, id, confirm } = await signedIn('session')
    const confirmed = await bench.accounts.confirmProvider({
      ...confirm,
      attempt: { ...unknownAttempt, requestId: 'r-1' },
    })
    const sessionKey = confirmed.ok ? confirmed.identity.key : null
    const said = { type: 'provider.confirmed', accountId: id, sessionKey, issuer, requestId: 'r-1' }
    expect(bench.events.at(-1)).toMatchObject({ ...said, durationMs: expect.any(Number) })
  })

  test('confirmProvider is refused if the session was revoked, and the event gives the reason', async () => {
    const { bench, id, identity, confirm } = await signedIn('session')
    await bench.sessions.revoke(id, identity.key)
    expect(await bench.accounts.confirmProvider(confirm)).toEqual(invalidCredentials)
    expect(bench.events.at(-1)).toMatchObject({ type: 'provider.refused', issuer, reason: 'session-revoked' })
    expect(await bench.sessions.list(id)).toEqual([])
  })

  test('confirmProvider does not give the new tokens of an application to a script of a page', async () => {
    const { bench, confirm } = await signedIn('native')
    const asked = bench.accounts.confirmProvider({ ...confirm, allowsNative: false })
    expect(await refusalOf(asked)).toMatchObject({ code: 'DELIVERY_NOT_ALLOWED' })
    expect(await bench.accounts.confirmProvider(confirm)).toMatchObject({ ok: true })
  })
})

describe('an id token that was issued', () => {
  test.each<[string, number, boolean]>([
    ['before the logout of its user, and came after it', -1, false],
    ['at the time of that logout', 0, false],
    ['after that logout', 1, true],
  ])('%s', async (_when, seconds, isSignedIn) => {
    const bench = createProvidersBench()
    const { id } = await bench.insert()
    await bench.link(id)
    const iat = bench.now() / 1000 + seconds
    await bench.accounts.endProviderSessions({ issuer, subject: '42', sid: null })
    bench.advance(60)
    const result = await bench.byProvider({ claims: { iat } })
    if (isSignedIn) expect(result).toMatchObject({ ok: true })
    else expect(result).toEqual(invalidCredentials)
  })

  test('an id token of the future counts as issued now: a logout of its user at that moment revokes its session', async () => {
    const bench = createProvidersBench()
    const { id } = await bench.insert()
    await bench.link(id)
    await bench.accounts.endProviderSessions({ issuer, subject: '42', sid: null })
    expect(await bench.byProvider({ claims: { iat: bench.now() / 1000 + 60 } })).toEqual(invalidCredentials)
  })
})
