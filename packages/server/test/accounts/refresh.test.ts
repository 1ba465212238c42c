import { allowNativeDelivery } from '@latchkey/accounts'
import { beforeEach, describe, expect, test } from 'vitest'
import { type Bench, createBench, password, type SignedIn } from '../support/bench.ts'
import { type Answer, copyOf, outcomeOf, ownPage, type Visitor } from '../support/visitor.ts'

let bench: Bench
beforeEach(() => {
  bench = createBench({ options: { sessions: { nativeDelivery: allowNativeDelivery } } })
})

const mutation = 'mutation ($input: RefreshInput) { refresh(input: $input) { accessToken expiresIn refreshToken } }'
const byCookie = (visitor: Visitor) => visitor.ask(mutation)
const byInput = (visitor: Visitor, refreshToken: string | null) => visitor.ask(mutation, { input: { refreshToken } })
const viewer = '{ viewer { id } }'
const refreshCookie = '__Host-refresh'

describe('refresh by cookie', () => {
  test('delivers a new access token, and the next refresh token in the cookie only', async () => {
    const visitor = await bench.signedIn('READER', 'TOKEN')
    const { bearer: first } = visitor
    const before = visitor.jar.get(refreshCookie)
    visitor.bearer = null
    const answer = await byCookie(visitor)
    expect(answer.data.refresh).toEqual({ accessToken: expect.any(String), expiresIn: 900, refreshToken: null })
    expect(answer.cookies).toEqual([
      expect.stringMatching(/^__Host-refresh=rt_[^;]+; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Strict$/),
    ])
    expect(visitor.jar.get(refreshCookie)).not.toBe(before)
    expect(answer.data.refresh.accessToken).not.toBe(first)
    visitor.bearer = answer.data.refresh.accessToken
    expect((await visitor.ask(viewer)).status).toBe(200)
  })

  test('works with an empty input, and from a page of the service', async () => {
    const visitor = await bench.signedIn('READER', 'TOKEN')
    expect((await byInput(visitor, null)).status).toBe(200)
    visitor.headers = ownPage
    expect((await byCookie(visitor)).status).toBe(200)
  })

  test('twice at once delivers the same successor twice', async () => {
    const visitor = await bench.signedIn('READER', 'TOKEN')
    const answers = await Promise.all([byCookie(visitor), byCookie(visitor)])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(new Set(answers.map(({ cookies }) => cookies[0])).size).toBe(1)
  })

  test('with an old token revokes the family, for thief and owner', async () => {
    const visitor = await bench.signedIn('READER', 'TOKEN')
    const thief = bench.visitor()
    thief.jar.set(refreshCookie, visitor.jar.get(refreshCookie) ?? '')
    visitor.bearer = (await byCookie(visitor)).data.refresh.accessToken
    bench.advance(11)
    const reused = await byCookie(thief)
    expect(outcomeOf(reused)).toEqual([401, 'UNAUTHENTICATED'])
    expect(bench.events).toContainEqual(expect.objectContaining({ type: 'family.reused' }))
    expect((await visitor.ask(viewer)).status).toBe(401)
    visitor.bearer = null
    expect((await byCookie(visitor)).status).toBe(401)
  })

  test('keeps the cookie if it is refused, because a sign-in may have replaced it meanwhile', async () => {
    const visitor = bench.visitor()
    visitor.jar.set(refreshCookie, 'rt_nonsense')
    const answer = await byCookie(visitor)
    expect([...outcomeOf(answer), answer.cookies]).toEqual([401, 'UNAUTHENTICATED', []])
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/)
  })

  test('expires with the token after 30 days', async () => {
    const visitor = await bench.signedIn('READER', 'TOKEN')
    visitor.bearer = null
    bench.advance(30 * 24 * 60 * 60)
    expect((await byCookie(visitor)).status).toBe(401)
  })

  test('needs the csrfToken if a session cookie is sent, too', async () => {
    const visitor = await bench.signedIn('READER', 'TOKEN')
    visitor.bearer = null
    await visitor.signIn(visitor.account.email, password)
    const { csrfToken } = visitor
    visitor.csrfToken = null
    expect(outcomeOf(await byCookie(visitor))).toEqual([403, 'CSRF_REJECTED'])
    visitor.csrfToken = csrfToken
    expect((await byCookie(visitor)).status).toBe(200)
  })

  test('carries the current roles', async () => {
    const visitor = await bench.signedIn('READER', 'TOKEN')
    const { account } = visitor
    await bench.stores.accounts.replace(account.id, {}, { roles: ['AUTHOR'] })
    const { accessToken } = (await byCookie(visitor)).data.refresh
    expect(JSON.parse(atob(accessToken.split('.')[1]))).toMatchObject({ sub: account.id, role: 'AUTHOR' })
  })

  test('is refused to an account that was disabled', async () => {
    const visitor = await bench.signedIn('READER', 'TOKEN')
    await bench.stores.accounts.replace(visitor.account.id, {}, { status: 'disabled' })
    expect((await visitor.ask(viewer)).status).toBe(401)
    visitor.bearer = null
    expect((await byCookie(visitor)).status).toBe(401)
  })
})

describe('refresh by input', () => {
  test('delivers both tokens in the body', async () => {
    const visitor = await bench.signedIn('READER', 'NATIVE')
    const answer = await byInput(visitor, visitor.refreshToken)
    expect(answer.data.refresh).toMatchObject({ expiresIn: 900, refreshToken: expect.stringMatching(/^rt_/) })
    expect(answer.cookies).toEqual([])
    expect(answer.data.refresh.refreshToken).not.toBe(visitor.refreshToken)
  })

  test('together with the cookie is refused, and neither token is consumed', async () => {
    const [web, native] = [await bench.signedIn('READER', 'TOKEN'), await bench.signedIn('READER', 'NATIVE')]
    web.bearer = null
    const both = await byInput(web, native.refreshToken)
    expect(both.status).toBe(200)
    expect(both.errors[0]?.extensions).toEqual({ code: 'BAD_USER_INPUT', field: 'input.refreshToken' })
    bench.advance(11)
    expect((await byCookie(web)).status).toBe(200)
    expect((await byInput(native, native.refreshToken)).status).toBe(200)
  })

  test('refuses a token of a cookie in the body, and a token of a body in the cookie', async () => {
    const [web, native] = [await bench.signedIn('READER', 'TOKEN'), await bench.signedIn('READER', 'NATIVE')]
    const stolen = bench.visitor()
    expect((await byInput(stolen, web.jar.get(refreshCookie) ?? '')).status).toBe(401)
    stolen.jar.set(refreshCookie, native.refreshToken ?? '')
    expect((await byCookie(stolen)).status).toBe(401)
    expect((await byCookie(web)).status).toBe(200)
    expect((await byInput(native, native.refreshToken)).status).toBe(200)
  })

  test('without a token is refused like a wrong token', async () => {
    const [nothing, wrong] = [await byCookie(bench.visitor()), await byInput(bench.visitor(), 'rt_wrong')]
    expect(outcomeOf(nothing)).toEqual([401, 'UNAUTHENTICATED'])
    expect(nothing.text).toBe(wrong.text)
  })
})

describe('a refresh with an attempt', () => {
  const attempt = 'o_'.repeat(16)
  const repeat = (visitor: Visitor, input: object) => visitor.ask(mutation, { input })
  const lost = async (delivery: 'TOKEN' | 'NATIVE') => {
    const visitor = await bench.signedIn('READER', delivery)
    visitor.bearer = null
    const old = copyOf(visitor, bench.visitor())
    const token = delivery === 'NATIVE' ? { refreshToken: visitor.refreshToken } : {}
    const sent = await repeat(visitor, { ...token, attempt })
    return { visitor, old, token, sent }
  }

  test.each(['TOKEN', 'NATIVE'] as const)('by %s returns the same successor a day later', async (delivery) => {
    const { old, token, sent } = await lost(delivery)
    bench.advance(86_399)
    const again = await repeat(old, { ...token, attempt })
    expect([again.cookies, again.data.refresh.refreshToken]).toEqual([sent.cookies, sent.data.refresh.refreshToken])
    expect(again.data.refresh.accessToken).not.toBe(sent.data.refresh.accessToken)
    old.bearer = again.data.refresh.accessToken
    expect((await old.ask(viewer)).status).toBe(200)
  })

  test('of an application is a UUID, is repeated until the successor is used, and then ends all', async () => {
    const visitor = await bench.signedIn('READER', 'NATIVE')
    const input = { refreshToken: visitor.refreshToken, attempt: crypto.randomUUID() }
    const send = async (given: object) => (await repeat(bench.visitor(), given)).data?.refresh
    const sent = await send(input)
    for (const seconds of [11, 3600]) {
      bench.advance(seconds)
      expect((await send(input)).refreshToken).toBe(sent.refreshToken)
    }
    const next = await send({ refreshToken: sent.refreshToken, attempt: crypto.randomUUID() })
    expect(outcomeOf(await repeat(bench.visitor(), input))).toEqual([401, 'UNAUTHENTICATED'])
    const newest = await repeat(bench.visitor(), { refreshToken: next.refreshToken })
    expect(outcomeOf(newest)).toEqual([401, 'UNAUTHENTICATED'])
    const authorization = `Bearer ${next.accessToken}`
    expect((await bench.visitor().ask(viewer, {}, { authorization })).status).toBe(401)
  })

  test.each([
    ['by another attempt', { attempt: 'x'.repeat(22) }],
    ['without one', {}],
  ])('is not repeated %s: the copy revokes the family', async (_how, input) => {
    const { visitor, old } = await lost('TOKEN')
    bench.advance(11)
    expect(outcomeOf(await repeat(old, input))).toEqual([401, 'UNAUTHENTICATED'])
    expect(outcomeOf(await byCookie(visitor))).toEqual([401, 'UNAUTHENTICATED'])
    expect(bench.events.filter(({ type }) => type === 'family.reused')).toHaveLength(1)
  })

  test.each(['', 'x'.repeat(21), 'x'.repeat(65), `${'x'.repeat(22)}\n`, `${'x'.repeat(22)}=`, `${'x'.repeat(21)}é`])(
    'is refused without changes if the attempt is malformed: %j',
    async (given) => {
      const visitor = await bench.signedIn('READER', 'TOKEN')
      visitor.bearer = null
      const token = visitor.jar.get(refreshCookie)
      const answer = await repeat(visitor, { attempt: given })
      expect([answer.status, answer.errors[0]?.extensions, answer.cookies]).toEqual([
        200,
        { code: 'BAD_USER_INPUT', field: 'input.attempt' },
        [],
      ])
      expect(visitor.jar.get(refreshCookie)).toBe(token)
      bench.advance(11)
      expect((await byCookie(visitor)).status).toBe(200)
    },
  )

  test('is in no event and in no mail', async () => {
    await lost('TOKEN')
    expect(JSON.stringify([bench.events, bench.outbox])).not.toContain(attempt)
  })

  test('lasts as long as sessions.refresh.retrySeconds', async () => {
    bench = createBench({ options: { sessions: { refresh: { retrySeconds: 0 } } } })
    const { old } = await lost('TOKEN')
    bench.advance(11)
    expect((await repeat(old, { attempt })).status).toBe(401)
  })
})

test('a refresh of an invalid family has the same bytes and one event for every cause', async () => {
  const bytesOf = ({ status, headers, text }: Answer) =>
    JSON.stringify([status, [...headers].filter(([name]) => name !== 'x-request-id'), text])
  const ended = async (end: (visitor: SignedIn) => unknown) => {
    const visitor = await bench.signedIn('READER', 'TOKEN')
    visitor.bearer = null
    const token = visitor.jar.get(refreshCookie) ?? ''
    const shown = await end(visitor)
    visitor.jar.clear()
    visitor.jar.set(refreshCookie, typeof shown === 'string' ? shown : token)
    bench.events.length = 0
    const answer = await byCookie(visitor)
    expect(outcomeOf(answer)).toEqual([401, 'UNAUTHENTICATED'])
    expect(bench.events.map(({ type }) => type)).not.toContain('access.denied')
    expect(bench.events).toHaveLength(1)
    return bytesOf(answer)
  }
  const { records, accounts } = bench.stores
  const all = [
    await ended(() => 'rt_wrong'),
    await ended((visitor) => visitor.ask('mutation { signOut }')),
    await ended(({ account }) => records.removeByOwner(account.id)),
    await ended(({ account }) => accounts.replace(account.id, {}, { status: 'disabled' })),
    await ended(({ account }) => accounts.replace(account.id, {}, { epoch: 1 })),
    await ended(() => bench.advance(30 * 86_400)),
    await ended(async (visitor) => {
      await byCookie(visitor)
      bench.advance(11)
    }),
  ]
  const nothing = await bench.visitor().ask(mutation)
  expect(new Set([...all, bytesOf(nothing), bytesOf(await byInput(bench.visitor(), 'rt_wrong'))]).size).toBe(1)
})
