import { allowNativeDelivery } from '@latchkey/accounts'
import { beforeEach, describe, expect, test } from 'vitest'
import { type Bench, createBench, newPassword, password, type SignedIn } from '../support/bench.ts'
import { outcomeOf, type Visitor } from '../support/visitor.ts'

let bench: Bench
beforeEach(() => {
  bench = createBench({ options: { sessions: { nativeDelivery: allowNativeDelivery } } })
})

const viewer = '{ viewer { id } }'
const list = '{ sessions { id kind createdAt lastUsedAt expiresAt userAgent address current } }'
const revoke = 'mutation ($id: ID!) { revokeSession(id: $id) }'
const revokeAll = 'mutation ($except: Boolean) { revokeAllSessions(exceptCurrent: $except) }'
const isIn = async (visitor: Visitor) => (await visitor.ask(viewer)).status === 200

async function further(of: SignedIn, delivery: 'SESSION' | 'TOKEN' | 'NATIVE' = 'SESSION'): Promise<Visitor> {
  const visitor = bench.visitor()
  visitor.headers = { 'user-agent': `for ${delivery}` }
  await visitor.signIn(of.account.email, password, delivery)
  return visitor
}

describe('the device list', () => {
  test('lists sessions and tokens with their devices, and marks the current session', async () => {
    const first = await bench.signedIn()
    bench.advance(1)
    await further(first, 'TOKEN')
    bench.advance(1)
    const third = await further(first)
    const { data } = await third.ask(list)
    expect(
      data.sessions.map(({ kind, userAgent, current }: Record<string, unknown>) => [kind, userAgent, current]),
    ).toEqual([
      ['session', 'for SESSION', true],
      ['refresh', 'for TOKEN', false],
      ['session', null, false],
    ])
    expect(data.sessions[0]).toMatchObject({
      id: expect.stringMatching(/^se_[\w-]{22}$/),
      createdAt: new Date(bench.clock.time).toISOString(),
      lastUsedAt: new Date(bench.clock.time).toISOString(),
      expiresAt: new Date(bench.clock.time + 3_600_000).toISOString(),
      address: null,
    })
  })

  test('requires a sign-in', async () => {
    const outcomes = await Promise.all(
      [list, `mutation { revokeSession(id: "se_1") }`, 'mutation { revokeAllSessions }'].map(async (operation) =>
        outcomeOf(await bench.visitor().ask(operation)),
      ),
    )
    expect(outcomes).toEqual(Array(3).fill([401, 'UNAUTHENTICATED']))
  })

  test('revokes a listed session or the tokens of a listed application', async () => {
    const asking = await bench.signedIn()
    const [session, tokens] = [await further(asking), await further(asking, 'TOKEN')]
    const { data } = await asking.ask(list)
    for (const { id, current } of data.sessions) {
      if (!current) expect((await asking.ask(revoke, { id })).data).toEqual({ revokeSession: true })
    }
    expect(await Promise.all([asking, session, tokens].map(isIn))).toEqual([true, false, false])
    tokens.bearer = null
    expect((await tokens.ask('mutation { refresh { accessToken } }')).status).toBe(401)
  })

  test('cannot revoke sessions of another account', async () => {
    const [asking, other] = [await bench.signedIn(), await bench.signedIn()]
    const { data } = await other.ask(list)
    expect((await asking.ask(revoke, { id: data.sessions[0].id })).data).toEqual({ revokeSession: false })
    expect((await asking.ask(revoke, { id: 'acc_1' })).data).toEqual({ revokeSession: false })
    expect(await isIn(other)).toBe(true)
  })

  test.each([
    ['all but the current one by default', {}, 2, [true, false, false]],
    ['all but the current one', { except: true }, 2, [true, false, false]],
    ['all but the current one, with null for the default', { except: null }, 2, [true, false, false]],
    ['all of them', { except: false }, 3, [false, false, false]],
  ])('revokes %s', async (_which, variables, count, stillIn) => {
    const asking = await bench.signedIn()
    const others = [await further(asking), await further(asking, 'NATIVE')]
    expect((await asking.ask(revokeAll, variables)).data).toEqual({ revokeAllSessions: count })
    expect(await Promise.all([asking, ...others].map(isIn))).toEqual(stillIn)
  })

  test('keeps the current tokens, too', async () => {
    const asking = await bench.signedIn('READER', 'TOKEN')
    const other = await further(asking)
    expect((await asking.ask(revokeAll)).data).toEqual({ revokeAllSessions: 1 })
    expect(await Promise.all([asking, other].map(isIn))).toEqual([true, false])
  })
})

describe('a session', () => {
  test('expires an hour after its last use, and 8 hours after its sign-in', async () => {
    const [idle, busy] = [await bench.signedIn(), await bench.signedIn()]
    for (let minutes = 0; minutes < 8 * 60 - 50; minutes += 50) {
      bench.advance(50 * 60)
      expect(await isIn(busy)).toBe(true)
    }
    expect(await isIn(idle)).toBe(false)
    bench.advance(50 * 60)
    expect(await isIn(busy)).toBe(false)
  })
})

describe('a sign-out', () => {
  const signOut = 'mutation { signOut }'

  test('with a session revokes it and clears both cookies', async () => {
    const visitor = await bench.signedIn()
    const stolen = Object.assign(bench.visitor(), { jar: new Map(visitor.jar) })
    const answer = await visitor.ask(signOut)
    expect(answer.data).toEqual({ signOut: true })
    expect(answer.cookies).toEqual([
      '__Host-session=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax',
      '__Host-refresh=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Strict',
    ])
    expect(await isIn(stolen)).toBe(false)
  })

  test('with a bearer token revokes the token and its refresh cookie', async () => {
    const visitor = await bench.signedIn('READER', 'TOKEN')
    const stolen = Object.assign(bench.visitor(), { jar: new Map(visitor.jar), bearer: visitor.bearer })
    expect((await visitor.ask(signOut)).data).toEqual({ signOut: true })
    expect([...visitor.jar.keys()]).toEqual(['__Host-device'])
    expect(await isIn(stolen)).toBe(false)
    stolen.bearer = null
    expect((await stolen.ask('mutation { refresh { accessToken } }')).status).toBe(401)
  })

  test('with only the refresh cookie revokes its family', async () => {
    const visitor = await bench.signedIn('READER', 'TOKEN')
    const token = visitor.bearer
    visitor.bearer = null
    expect((await visitor.ask(signOut)).data).toEqual({ signOut: true })
    visitor.bearer = token
    expect(await isIn(visitor)).toBe(false)
  })

  test('of a native application revokes its tokens', async () => {
    const visitor = await bench.signedIn('READER', 'NATIVE')
    expect((await visitor.ask(signOut)).data).toEqual({ signOut: true })
    expect(await isIn(visitor)).toBe(false)
  })

  test.each(['Bearer not-a-token', 'bearer', 'Basic YTpi, Bearer not-a-token'])(
    'with a bearer token keeps the session of a cookie: %s',
    async (authorization) => {
      const visitor = await bench.signedIn()
      const answer = await visitor.ask(signOut, {}, { authorization })
      expect(answer.data).toEqual({ signOut: false })
      expect(answer.cookies.some((line) => line.startsWith('__Host-session='))).toBe(false)
      expect(await isIn(visitor)).toBe(true)
    },
  )

  test('with an invalid bearer token returns false', async () => {
    const visitor = await bench.signedIn('READER', 'NATIVE')
    visitor.bearer = `${visitor.bearer}x`
    expect((await visitor.ask(signOut)).data).toEqual({ signOut: false })
  })

  test('without a credential is answered the same', async () => {
    expect((await bench.visitor().ask(signOut)).data).toEqual({ signOut: true })
  })

  test('does not affect other devices', async () => {
    const visitor = await bench.signedIn()
    const other = await further(visitor)
    await visitor.ask(signOut)
    expect(await isIn(other)).toBe(true)
  })
})

describe('a change of password', () => {
  const change = 'mutation ($input: ChangePasswordInput!) { changePassword(input: $input) }'
  const input = { currentPassword: password, newPassword }

  test('with a session sets a new cookie, revokes all other credentials, and requires a new csrfToken', async () => {
    const visitor = await bench.signedIn()
    const others = [await further(visitor), await further(visitor, 'TOKEN')]
    const before = Object.assign(bench.visitor(), { jar: new Map(visitor.jar) })
    const answer = await visitor.ask(change, { input })
    expect(answer.data).toEqual({ changePassword: true })
    expect(answer.cookies).toEqual([
      expect.stringMatching(/^__Host-session=se_[^;]+; Max-Age=28800; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
      expect.stringMatching(/^__Host-device=[^;]+; Max-Age=15552000; /),
    ])
    expect(await Promise.all([visitor, before, ...others].map(isIn))).toEqual([true, false, false, false])
    expect(outcomeOf(await visitor.ask('mutation { revokeAllSessions }'))).toEqual([403, 'CSRF_REJECTED'])
    visitor.csrfToken = (await visitor.ask('{ csrfToken }')).data.csrfToken
    expect((await visitor.ask('mutation { revokeAllSessions }')).data).toEqual({ revokeAllSessions: 0 })
    expect((await bench.visitor().signIn(visitor.account.email, password)).status).toBe(401)
    expect((await bench.visitor().signIn(visitor.account.email, newPassword)).status).toBe(200)
  })

  test('with a bearer token revokes all other credentials, and keeps the token and its refresh', async () => {
    const visitor = await bench.signedIn('READER', 'TOKEN')
    const other = await further(visitor)
    const answer = await visitor.ask(change, { input })
    const device = [expect.stringMatching(/^__Host-device=/)]
    expect([answer.data, answer.cookies]).toEqual([{ changePassword: true }, device])
    expect(await Promise.all([visitor, other].map(isIn))).toEqual([true, false])
    visitor.bearer = null
    visitor.bearer = (await visitor.ask('mutation { refresh { accessToken } }')).data.refresh.accessToken
    expect(await isIn(visitor)).toBe(true)
  })

  test('with a wrong current password is the same 403 for cookie and bearer, and keeps the password', async () => {
    const [cookie, bearer] = [await bench.signedIn(), await bench.signedIn('READER', 'TOKEN')]
    const wrong = { ...input, currentPassword: 'what was it again?' }
    const answers = [await cookie.ask(change, { input: wrong }), await bearer.ask(change, { input: wrong })]
    for (const answer of answers) {
      expect(outcomeOf(answer)).toEqual([403, 'INVALID_CREDENTIALS'])
      expect(answer.headers.get('www-authenticate')).toBeNull()
      expect(answer.text).not.toContain('"data"')
      expect(answer.text).toBe(answers[0]?.text)
    }
    expect(await Promise.all([cookie, bearer].map(isIn))).toEqual([true, true])
    expect((await bench.visitor().signIn(cookie.account.email, password)).status).toBe(200)
  })

  test('to a refused password names the field, and keeps the session', async () => {
    const visitor = await bench.signedIn()
    const answer = await visitor.ask(change, { input: { ...input, newPassword: 'short' } })
    expect(answer.errors[0]?.extensions).toEqual({ code: 'BAD_USER_INPUT', field: 'input.newPassword' })
    expect(await isIn(visitor)).toBe(true)
  })
})
