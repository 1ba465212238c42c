import { describe, expect, test } from 'vitest'
import { createBench, password } from '../support/bench.ts'
import { outcomeOf, ownPage, signInMutation, type Visitor } from '../support/visitor.ts'

const bench = createBench({ options: { http: { allowedOrigins: ['https://www.example.com'] } } })
const author = await bench.signedIn('AUTHOR')
const other = await bench.signedIn('AUTHOR')
const elsewhere = await createBench().signedIn('AUTHOR')
const write = 'mutation { writeNote(text: "T") }'
const viewer = '{ viewer { id } }'

const foreign = {
  'a page of another site': { ...ownPage, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
  'a page of another site, by Sec-Fetch-Site alone': { 'sec-fetch-site': 'cross-site' },
  'a sibling of the same site': { ...ownPage, origin: 'https://a.example.com', 'sec-fetch-site': 'same-site' },
  'a sibling of the same site, by Sec-Fetch-Site alone': { 'sec-fetch-site': 'same-site' },
  'a page of another site that names an allowed origin': { ...ownPage, 'sec-fetch-site': 'cross-site' },
  'an unknown word of Sec-Fetch-Site': { 'sec-fetch-site': 'friendly' },
  'another origin, in a browser without Fetch Metadata': { origin: 'https://evil.example' },
  'an opaque origin': { origin: 'null' },
  'an empty origin': { origin: '' },
  'our origin with another scheme': { origin: 'http://example.com' },
  'our origin with a port': { origin: 'https://example.com:8443' },
  'our origin in a longer one': { origin: 'https://example.com.evil.example' },
}
const own = {
  'a page of ours': ownPage,
  'a page of an allowed origin, in a browser without Fetch Metadata': { origin: 'https://www.example.com' },
  'a sibling of an allowed origin': { origin: 'https://www.example.com', 'sec-fetch-site': 'same-site' },
  'no page': {},
}

const asking = (change: Partial<Visitor>): Visitor =>
  Object.assign(bench.visitor(), { jar: new Map(author.jar), csrfToken: author.csrfToken }, change)

describe.each(Object.entries(foreign))('a request from %s', (_who, headers) => {
  test('with the session cookie is refused, a query too, even with the right token', async () => {
    for (const operation of [write, viewer, '{ hello }']) {
      expect(outcomeOf(await asking({ headers }).ask(operation))).toEqual([403, 'CSRF_REJECTED'])
    }
  })

  test('with a refresh cookie is refused, and the cookie is not used up', async () => {
    const visitor = await bench.signedIn('READER', 'TOKEN')
    visitor.bearer = null
    const refresh = 'mutation { refresh { accessToken } }'
    const refused = await visitor.ask(refresh, {}, headers)
    expect([...outcomeOf(refused), refused.cookies]).toEqual([403, 'CSRF_REJECTED', []])
    bench.advance(11)
    expect((await visitor.ask(refresh)).status).toBe(200)
  })

  test('with only a refresh cookie cannot sign out', async () => {
    const visitor = await bench.signedIn('READER', 'TOKEN')
    const { bearer } = visitor
    visitor.bearer = null
    for (const operation of ['mutation { signOut }', '{ hello }']) {
      const answer = await visitor.ask(operation, {}, headers)
      expect([...outcomeOf(answer), answer.cookies]).toEqual([403, 'CSRF_REJECTED', []])
    }
    visitor.bearer = bearer
    expect((await visitor.ask(viewer)).status).toBe(200)
  })

  test('cannot sign in, also without a cookie', async () => {
    const answer = await asking({ jar: new Map(), headers }).ask(signInMutation, {
      input: { email: author.account.email, password },
    })
    expect([...outcomeOf(answer), answer.cookies]).toEqual([403, 'CSRF_REJECTED', []])
  })

  test('with a bearer token and no cookie is exempt', async () => {
    const visitor = bench.visitor()
    await visitor.signIn(author.account.email, password, 'TOKEN')
    visitor.jar.clear()
    visitor.headers = headers
    expect((await visitor.ask(write)).data).toEqual({ writeNote: 'T' })
  })
})

test('a forged request with a cookie costs no look-up', async () => {
  const calls: string[] = []
  const counting = createBench({
    around: (call, run) => {
      calls.push(call)
      return run()
    },
  })
  const visitor = await counting.signedIn()
  const before = calls.length
  expect((await visitor.ask(viewer, {}, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  expect(calls.length).toBe(before)
})

test.each(Object.entries(own))('a request from %s passes', async (_who, headers) => {
  expect((await asking({ headers }).ask(write)).data).toEqual({ writeNote: 'T' })
})

describe('a mutation over a session', () => {
  test.each([
    ['no token', null],
    ['an empty token', ''],
    ['a made-up token', 'a.b.c'],
    [
      'a token with one character changed',
      `${author.csrfToken?.slice(0, -2)}${author.csrfToken?.endsWith('AA') ? 'BB' : 'AA'}`,
    ],
    ['the token of another session', other.csrfToken],
    ['the token of another service', elsewhere.csrfToken],
    ['the public key of the session', author.jar.get('__Host-session')?.split('.')[0] ?? ''],
  ])('is refused with %s', async (_what, csrfToken) => {
    const answer = await asking({ csrfToken }).ask(write)
    expect(outcomeOf(answer)).toEqual([403, 'CSRF_REJECTED'])
    expect(answer.text).not.toContain('"data"')
  })

  test('is refused with a token from before the sign-in', async () => {
    const visitor = await bench.signedIn('AUTHOR')
    const { csrfToken } = visitor
    await visitor.signIn(visitor.account.email, password)
    expect((await visitor.ask(write)).status).toBe(200)
    visitor.csrfToken = csrfToken
    expect(outcomeOf(await visitor.ask(write))).toEqual([403, 'CSRF_REJECTED'])
  })

  test('needs the token for a further sign-in and for sign-out, too', async () => {
    const visitor = asking({ csrfToken: null })
    expect(outcomeOf(await visitor.signIn(author.account.email, password))).toEqual([403, 'CSRF_REJECTED'])
    expect(outcomeOf(await visitor.ask('mutation { signOut }'))).toEqual([403, 'CSRF_REJECTED'])
    expect((await visitor.ask(viewer)).status).toBe(200)
  })

  test('passes with the token of the query, which is another text each time', async () => {
    const visitor = asking({})
    const [first, second] = [await visitor.ask('{ csrfToken }'), await visitor.ask('{ csrfToken }')]
    expect(first.data.csrfToken).not.toBe(second.data.csrfToken)
    for (const { data } of [first, second]) {
      expect((await asking({ csrfToken: data.csrfToken }).ask(write)).status).toBe(200)
    }
  })
})

test('without a session, or over a bearer token, there is no csrfToken', async () => {
  expect((await bench.visitor().ask('{ csrfToken }')).data).toEqual({ csrfToken: null })
  const visitor = await bench.signedIn('AUTHOR', 'TOKEN')
  expect((await visitor.ask('{ csrfToken }')).data).toEqual({ csrfToken: null })
})

test('of a bearer token and a cookie only the token is used, also an invalid one', async () => {
  const reader = await bench.signedIn('READER', 'TOKEN')
  expect(outcomeOf(await asking({ bearer: reader.bearer }).ask(write))).toEqual([403, 'FORBIDDEN'])
  expect(outcomeOf(await asking({ bearer: 'bad' }).ask(write))).toEqual([401, 'UNAUTHENTICATED'])
})
