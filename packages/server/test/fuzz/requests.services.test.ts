import { allowUnlimitedAttempts } from '@latchkey/accounts'
import { isFailure } from '@latchkey/core'
import type { HttpRequest } from '@latchkey/http'
import { readCookies } from '@latchkey/http/internal'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Bench } from '../support/bench.ts'
import { changedMembers, changedResponse, type Member } from '../support/changed-responses.ts'
import { createAskingBench } from '../support/clients/asking.ts'
import { okData, operations, withPasskey } from '../support/factor-bench.ts'
import { ownForm } from '../support/forms.ts'
import { type Change, fuzz, fuzzTimeoutMs, mutated } from '../support/fuzzing.ts'
import { cookieHeaders, documents, jsonBodies } from '../support/hostile-grammars.ts'
import { ownPage, signInMutation } from '../support/visitor.ts'

vi.setConfig({ testTimeout: fuzzTimeoutMs })

let bench: Bench
beforeEach(() => {
  // What is limited would be refused before it is read.
  bench = createAskingBench({ options: { signIn: { attemptLimits: allowUnlimitedAttempts } } })
})
afterEach(async () => {
  expect(bench.events.filter(isFailure).map(({ type }) => type)).toEqual([])
  await bench.server.close()
})

/** Sends headers that no client library would let pass. */
async function handle(
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<{ status: number; text: string }> {
  const request: HttpRequest = {
    method: 'POST',
    target: '/graphql',
    headers: new Map(Object.entries({ host: 'example.com', 'content-type': 'application/json', ...headers })),
    cookies: readCookies(headers.cookie),
    peerAddress: '192.0.2.7',
    signal: new AbortController().signal,
    body: async () => body,
  }
  const { status, body: text } = await bench.server.handle(request)
  return { status, text: String(text) }
}

/** Sends a body as bytes. */
async function post(path: string, body: Buffer, headers: Readonly<Record<string, string>>): Promise<number> {
  const init = { method: 'POST', headers, body: new Uint8Array(body), redirect: 'manual' } as const
  const { status } = await bench.server.fetch(new Request(`https://example.com${path}`, init))
  expect(status).toBeLessThan(500)
  return status
}

const viewer = JSON.stringify({ query: '{ viewer { id } }' })

test('a request with any cookies is answered, and as the account only with its session', async () => {
  const { jar, account } = await bench.signedIn()
  const credential = jar.get('__Host-session') ?? ''
  const headers = fc.oneof(
    cookieHeaders('__Host-session'),
    mutated([`__Host-session=${credential}`, `theme=dark; __Host-session=${credential}`], ['; ', '=', ' ', '"', '\0']),
  )
  const judge = async (cookie: string) => {
    const { status, text } = await handle({ cookie, ...ownPage }, viewer)
    expect(status).toBeLessThan(500)
    if (status === 200)
      expect([text, cookie]).toEqual([expect.stringContaining(account.id), expect.stringContaining(credential)])
    return status === 200
  }
  await fuzz({ inputs: headers, judge, deep: 0.08 })
})

test('a request with any authorization is answered, and as the account only with its token', async () => {
  const { bearer, account } = await bench.signedIn('READER', 'TOKEN')
  const pieces = ['.', '=', ' ', ',', 'Bearer ', '\0', 'eyJhbGciOiJub25lIn0.']
  const judge = async (authorization: string) => {
    const { status, text } = await handle({ authorization }, viewer)
    expect(status).toBeLessThan(500)
    if (status === 200)
      expect([text, authorization]).toEqual([expect.stringContaining(account.id), expect.stringContaining(`${bearer}`)])
    return status === 200
  }
  await fuzz({ inputs: mutated([`Bearer ${bearer}`, `bearer ${bearer}`], pieces), judge, deep: 0.1 })
})

/** The pages that read a form, and whether they are of an account that has signed in. */
const formPages = [
  ['/sign-in', false],
  ['/verify', false],
  ['/reset', false],
  ['/sign-up', false],
  ['/confirm-email-change', false],
  ['/undo-email-change', false],
  ['/second-factor', true],
  ['/confirm-password', true],
  ['/account/name', true],
  ['/account/email', true],
  ['/account/password', true],
  ['/devices/end', true],
  ['/account/totp/confirm', true],
  ['/account/passkeys/rename', true],
  ['/account/applications/revoke', true],
  ['/step-up', true],
  ['/consent', true],
  ['/device', true],
  ['/device/decision', true],
] as const

test('any form is answered with a page', async () => {
  const { account, jar } = await bench.signedIn()
  const cookie = `__Host-session=${jar.get('__Host-session')}`
  const email = encodeURIComponent(account.email)
  const valid = [
    `email=${email}&password=not+the+password+of+it&token=abc&code=123456&return=%2Faccount`,
    'token=abc&password=short&id=1&name=Phone',
    'code=123456&code=123456',
    'handle=abc&token=abc&decision=allow&user_code=BCDF-GHJK&return_to=%2Fauthorize%3Fhandle%3Dabc',
  ]
  const forms = mutated(valid, ['&', '=', '%', '%00', '+', '%f0%28', 'token=', '\xff', '&='])
  const types = fc.constantFrom(
    'application/x-www-form-urlencoded',
    'Application/X-WWW-form-urlencoded; charset=utf-8',
    'text/plain',
  )
  const judge = async ([[path, isSignedIn], form, type]: readonly [(typeof formPages)[number], string, string]) => {
    const headers = { ...ownForm, 'content-type': type, ...(isSignedIn && { cookie }) }
    await post(path, Buffer.from(form, 'latin1'), headers)
    const names = [...new URLSearchParams(form).keys()]
    return type !== 'text/plain' && new Set(names).size === names.length
  }
  await fuzz({ inputs: fc.tuple(fc.constantFrom(...formPages), forms, types), judge, deep: 0.2 })
  expect((await handle({ cookie, ...ownPage }, viewer)).status).toBe(200)
})

test('any body of JSON is answered', async () => {
  const { email } = await bench.insert()
  const input = { email, password: 'not the password of it' }
  const valid = [
    { query: signInMutation, variables: { input } },
    { query: operations.verify, variables: { input: { challenge: 'ch_x', code: '123456' } } },
    { query: operations.finishPasskey, variables: { input: { response: '{"id":"AAAA"}', challenge: null } } },
    { query: '{ viewer { id email } sessions { id kind } csrfToken }' },
    { query: 'mutation { refresh(input: { refreshToken: "rt_x" }) { accessToken } }' },
  ].map((params) => JSON.stringify(params))
  const own = mutated(valid, ['"', '{', '\\u0000', '\\ud800', '[', '1e999', ':null', '"__proto__":', '\xff'])
  const bodies = fc.oneof(
    own.map((text) => Buffer.from(text, 'latin1')),
    jsonBodies,
  )
  const headers = { ...ownPage, 'content-type': 'application/json', accept: 'application/graphql-response+json' }
  const judge = async (body: Buffer) => (await post('/graphql', body, headers)) !== 400
  await fuzz({ inputs: bodies, judge, deep: 0.05 })
})

test('any document is answered', async () => {
  const judge = async (query: string) => {
    const { status, text } = await handle({ accept: 'application/graphql-response+json' }, JSON.stringify({ query }))
    expect(status).toBeLessThan(500)
    return !text.includes('GRAPHQL_PARSE_FAILED')
  }
  await fuzz({ inputs: documents, judge, deep: 0.3 })
})

test('a sign-in is answered without a credential for any stored value in place of a hash', async () => {
  const phc = '$argon2id$v=19$m=8,t=1,p=1$BwcHBwcHBwcHBwcHBwcHBw$CQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQk'
  const stored = mutated(
    [phc, `$sha1$s=c2FsdA,o=after${phc}`, '$2b$04$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
    ['$', ',', '=', '\0'],
  )
  const judge = async (passwordHash: string) => {
    const { email } = await bench.insert({ passwordHash })
    const { status, cookies } = await bench.visitor().signIn(email, 'otters read quietly at dawn')
    expect([401, 429]).toContain(status)
    expect(cookies).toEqual([])
    return passwordHash.startsWith('$')
  }
  await fuzz({ inputs: stored, judge, deep: 0.5 })
})

test('any response of a passkey that signs in is answered, and only the one that it gave signs in', async () => {
  const person = await withPasskey(bench)
  const judge = async ([member, all]: readonly [Member, readonly Change[]]) => {
    const visitor = bench.visitor()
    const { options } = okData(await visitor.ask(operations.startPasskey, { input: {} }, ownPage)).startPasskeySignIn
    const shown = await person.authenticator.get(JSON.parse(options))
    const response = changedResponse(shown, member, all)
    const answer = await visitor.ask(operations.finishPasskey, { input: { response } }, ownPage)
    expect(answer.status).toBeLessThan(500)
    if (answer.status === 200)
      expect(JSON.parse(response)).toMatchObject({ id: shown.id, response: { ...shown.response } })
    return answer.status === 200
  }
  await fuzz({ inputs: changedMembers, judge, deep: 0.1 })
})
