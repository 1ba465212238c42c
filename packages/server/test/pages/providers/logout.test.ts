import { unknownAttempt as attempt } from '@latchkey/accounts'
import { StoreError } from '@latchkey/store'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  codeOf,
  comeBack,
  createProviderBench,
  isSignedIn,
  locationOf,
  type ProviderBench,
  pressed,
  signInWith,
} from '../../support/providers/provider-bench.ts'
import type { Visitor } from '../../support/visitor.ts'

let bench: ProviderBench
let visitor: Visitor
beforeEach(async () => {
  bench = createProviderBench()
  visitor = bench.visitor()
  await bench.link((await bench.insert()).id)
  bench.one.claims = { sid: 's1' }
  await signInWith(visitor, bench.one)
})

/** The provider, which is no browser. */
const send = (logout_token: string, path = '/sign-in/with/one/logout') => bench.visitor().post(path, { logout_token })

describe('a logout token', () => {
  test.each([
    ['of the session', { sid: 's1' }],
    ['of the user', { sub: 'ada' }],
  ])('%s revokes the sessions of its sign-in', async (_what, claims) => {
    expect(await isSignedIn(visitor)).toBe(true)
    const answer = await send(bench.one.logoutToken(claims))
    expect([answer.status, answer.text, answer.headers.get('cache-control')]).toEqual([200, '', 'no-store'])
    expect(await isSignedIn(visitor)).toBe(false)
  })

  test('stops a sign-in that was started at the provider before, if it names the user', async () => {
    bench = createProviderBench()
    await bench.link((await bench.insert()).id)
    const late = bench.visitor()
    const url = bench.one.authorize(await pressed(late, '/sign-in/with/one'))
    const accounts = await bench.server.accounts()
    bench.one.respond = async (path) => {
      if (path !== '/jwks') return null
      bench.one.respond = null
      bench.advance(1)
      await accounts.endProviderSessions({ issuer: bench.one.issuer, subject: 'ada', sid: null, attempt })
      bench.advance(1)
      return null
    }
    const answer = await comeBack(late, url)
    expect([answer.status, codeOf(answer)]).toEqual([401, 'invalid-credentials'])
    expect(await isSignedIn(late)).toBe(false)
    expect(locationOf(await signInWith(late, bench.one))).toEqual([303, '/account'])
  })

  test('has no effect for another session', async () => {
    expect((await send(bench.one.logoutToken({ sid: 's2' }))).status).toBe(200)
    expect(await isSignedIn(visitor)).toBe(true)
  })

  test.each([
    ['another audience', { aud: 'other' }, 'audience'],
    ['another issuer', { iss: 'https://two.example' }, 'issuer'],
    ['a nonce', { nonce: 'x' }, 'nonce'],
    ['no event', { events: {} }, 'event'],
    ['neither a user nor a session', { sid: undefined }, 'claims'],
  ])('is refused with %s, and revokes no session', async (_what, claims, error_description) => {
    const answer = await send(bench.one.logoutToken({ sid: 's1', ...claims }))
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([400, 'no-store'])
    expect(answer.text).toBe(JSON.stringify({ error: 'invalid_request', error_description }))
    expect(await isSignedIn(visitor)).toBe(true)
  })

  test('is accepted once, and by its own provider alone', async () => {
    const token = bench.one.logoutToken({ sid: 's2' })
    expect((await send(token, '/sign-in/with/two/logout')).status).toBe(400)
    expect((await send(token)).status).toBe(200)
    expect((await send(token)).status).toBe(400)
    expect(await isSignedIn(visitor)).toBe(true)
  })

  test.each(['', 'a.b.c'])('is refused if it is "%s"', async (token) => {
    expect((await send(token)).status).toBe(400)
    expect(await isSignedIn(visitor)).toBe(true)
  })

  test("is retried after a store's failure, because few providers send it again", async () => {
    let calls = 0
    bench.linkReads.before = async () => {
      calls += 1
      if (calls === 1) throw new StoreError('STORE_UNAVAILABLE', 'the store is down')
    }
    expect((await send(bench.one.logoutToken({ sub: 'ada' }))).status).toBe(200)
    expect(await isSignedIn(visitor)).toBe(false)
  })

  test('is 503 after three failures of the store, and the session stays valid', async () => {
    let calls = 0
    bench.linkReads.before = async () => {
      calls += 1
      throw new StoreError('STORE_UNAVAILABLE', 'the store is down')
    }
    const answer = await send(bench.one.logoutToken({ sub: 'ada' }))
    expect([answer.status, answer.headers.get('retry-after'), calls]).toEqual([503, '5', 3])
    expect(await isSignedIn(visitor)).toBe(true)
  })

  test('revokes its sessions once if it is sent again after three failures of the store', async () => {
    const token = bench.one.logoutToken({ sub: 'ada' })
    let calls = 0
    bench.linkReads.before = async () => {
      calls += 1
      throw new StoreError('STORE_UNAVAILABLE', 'the store is down')
    }
    expect([(await send(token)).status, calls]).toEqual([503, 3])
    expect(await isSignedIn(visitor)).toBe(true)
    bench.linkReads.before = async () => undefined
    expect((await send(token)).status).toBe(200)
    expect(await isSignedIn(visitor)).toBe(false)
    bench.advance(1)
    await signInWith(visitor, bench.one)
    expect((await send(token)).status).toBe(400)
    expect(await isSignedIn(visitor)).toBe(true)
  })
})
