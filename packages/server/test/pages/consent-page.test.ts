import { StoreError } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { createBench, password } from '../support/bench.ts'
import {
  answerTo,
  createAskingBench,
  decide,
  follow,
  hiddenFields,
  leadsTo,
  open,
  registerNamed,
  requestPath,
  signInAt,
} from '../support/clients/asking.ts'
import { grantsOf } from '../support/clients/grants-of.ts'
import { ownForm, titleOf } from '../support/forms.ts'
import { createVisitor, type Visitor } from '../support/visitor.ts'

const bench = createAskingBench()
const policyOf = (answer: { readonly headers: Headers }) =>
  /form-action ([^;]*)/.exec(answer.headers.get('content-security-policy') ?? '')?.[1]

describe('/consent', () => {
  test('follows the sign-in for a client, and redirects with a code', async () => {
    const visitor = bench.visitor()
    const { email, name } = await bench.insert({ name: 'Ada' })
    const signIn = await open(visitor, requestPath({ scope: 'openid email offline_access notes:write' }))
    expect([signIn.status, titleOf(signIn)]).toEqual([200, 'Sign in'])
    const page = await follow(visitor, await signInAt(visitor, signIn, email))
    expect([page.status, titleOf(page)]).toEqual([200, 'Allow access?'])
    expect(page.text).toContain(
      `<strong><bdi>Reader</bdi></strong> wants to access your account. You’re signed in as <strong><bdi>${name}</bdi></strong> (<strong>${email}</strong>).`,
    )
    for (const words of [
      '<li>Recognize your account</li>',
      '<li>See your email address</li>',
      '<li>Stay connected while you’re away, until you remove its access</li>',
      '<li><code>notes:write</code></li>',
      'You’ll be redirected to <strong><bdi>reader.example.org</bdi></strong>.',
    ]) {
      expect(page.text).toContain(words)
    }
    const answer = await decide(visitor, page, 'allow')
    expect(answerTo(answer)).toMatchObject({ state: 'state-1', iss: 'https://example.com' })
    expect(answerTo(answer).code).toMatch(/^ac_/)
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  test('redirects to the client with the refusal, and stores no consent', async () => {
    const visitor = await bench.signedIn()
    const answer = await decide(visitor, await open(visitor, requestPath()), 'deny')
    expect(answerTo(answer)).toMatchObject({ error: 'access_denied', state: 'state-1', iss: 'https://example.com' })
    expect(await grantsOf(bench, visitor.account.id)).toEqual([])
  })

  test('lists new scopes separately from earlier scopes', async () => {
    const visitor = await bench.signedIn()
    await decide(visitor, await open(visitor, requestPath({ scope: 'openid email' })), 'allow')
    const { text } = await open(visitor, requestPath({ scope: 'openid email profile' }))
    const [fresh = '', known = ''] = text.split('<h2>').slice(1)
    expect(fresh).toMatch(/^This will also allow it to:[\s\S]*See your name/)
    expect(fresh).not.toContain('See your email address')
    expect(known).toMatch(/^It can already:[\s\S]*Recognize your account[\s\S]*See your email address/)
  })

  test('lets its form redirect here and to the client only, and is never framed or stored', async () => {
    const visitor = await bench.signedIn()
    const page = await open(visitor, requestPath())
    expect(policyOf(page)).toBe("'self' https://reader.example.org")
    const native = { client_id: 'pocket', redirect_uri: 'com.example.pocket:/callback' }
    const other = await open(visitor, requestPath(native))
    expect(policyOf(other)).toBe("'self' com.example.pocket:")
    expect(other.text).toContain('<strong><bdi>com.example.pocket</bdi></strong>')
    const policy = page.headers.get('content-security-policy')
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe-inline')
    expect(page.headers.get('x-frame-options')).toBe('DENY')
    expect(page.headers.get('referrer-policy')).toBe('same-origin')
    expect(page.headers.get('cache-control')).toBe('no-store')
  })

  test.each([
    ['without a handle', '/consent'],
    ['with a handle that never was', `/consent?handle=ar_${'A'.repeat(22)}.${'A'.repeat(43)}`],
    ['with a handle that is none', '/consent?handle=%00'],
  ])('is a page with 400 %s', async (_what, path) => {
    for (const visitor of [bench.visitor(), await bench.signedIn()]) {
      const page = await visitor.get(path)
      expect([page.status, titleOf(page), page.headers.get('location')]).toEqual([
        400,
        'This request is no longer valid',
        null,
      ])
    }
  })

  test('requires a sign-in first', async () => {
    const visitor = bench.visitor()
    const signIn = new URLSearchParams(leadsTo(await visitor.get(requestPath())).split('?')[1])
    const page = await open(visitor, `/consent?handle=${signIn.get('handle')}`)
    expect([page.status, titleOf(page)]).toEqual([200, 'Sign in'])
    expect(hiddenFields(page).return_to).toBe(`/authorize?handle=${signIn.get('handle')}`)
  })

  test('requires the sign-in that the request needs, even if it is opened directly', async () => {
    const visitor = await bench.signedIn()
    bench.advance(60)
    const signIn = new URLSearchParams(leadsTo(await visitor.get(requestPath({ prompt: 'login' }))).split('?')[1])
    const page = await open(visitor, `/consent?handle=${signIn.get('handle')}`)
    expect([page.status, titleOf(page)]).toEqual([200, 'Sign in'])
  })

  test('is not there without clients', async () => {
    const visitor = await createBench().signedIn()
    for (const path of ['/consent', '/device', '/device/allowed']) expect((await visitor.get(path)).status).toBe(404)
    expect((await visitor.post('/account/applications/revoke', { id: 'x' }, ownForm)).status).toBe(404)
  })
})

describe('a decision that is not the one of its page', () => {
  const refused: readonly (readonly [
    what: string,
    status: number,
    title: string,
    send: (visitor: Visitor, fields: Record<string, string>) => Promise<unknown>,
  ])[] = [
    [
      'from another browser',
      400,
      'This request is no longer valid',
      async (_visitor, fields) => post(await bench.signedIn(), fields),
    ],
    [
      'from a browser without a session',
      303,
      '',
      async (visitor, fields) => {
        visitor.jar.delete('__Host-session')
        return post(visitor, fields)
      },
    ],
    [
      'for another request',
      403,
      'Allow access?',
      async (visitor, fields) => {
        const other = hiddenFields(await open(visitor, requestPath({ scope: 'openid accounts:read' })))
        return post(visitor, { ...fields, handle: other.handle ?? '' })
      },
    ],
    [
      'of another session',
      403,
      'Allow access?',
      async (visitor, fields) => {
        const { email } = await bench.insert()
        await visitor.post('/sign-in', { email, password }, ownForm)
        return post(visitor, fields)
      },
    ],
    ['without its token', 403, 'Allow access?', (visitor, { handle = '' }) => post(visitor, { handle })],
    [
      'with a token that was made up',
      403,
      'Allow access?',
      (visitor, fields) => post(visitor, { ...fields, token: 'x' }),
    ],
    ['without a decision', 400, 'Allow access?', (visitor, fields) => post(visitor, fields, '')],
    ['with another decision', 400, 'Allow access?', (visitor, fields) => post(visitor, fields, 'yes')],
    [
      'with two decisions',
      400,
      'This request is no longer valid',
      (visitor, fields) =>
        visitor.postText('/consent', `${new URLSearchParams(fields)}&decision=deny&decision=allow`, form),
    ],
    [
      'sent by a page of another site',
      403,
      'Request blocked',
      (visitor, fields) =>
        post(visitor, fields, 'allow', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }),
    ],
    [
      'sent out of a frame of an opaque origin',
      403,
      'Request blocked',
      (visitor, fields) => post(visitor, fields, 'allow', { origin: 'null' }),
    ],
  ]
  const form = { ...ownForm, 'content-type': 'application/x-www-form-urlencoded' }
  const post = (
    visitor: Visitor,
    fields: Record<string, string>,
    decision = 'allow',
    headers: Readonly<Record<string, string>> = ownForm,
  ) => visitor.post('/consent', { ...fields, decision }, headers)

  test.each(refused)(
    '%s is answered %i, allows no access and redirects to no client',
    async (_what, status, title, send) => {
      const visitor = await bench.signedIn()
      const before = bench.events.length
      const page = await open(visitor, requestPath())
      const answer = (await send(visitor, hiddenFields(page))) as Awaited<ReturnType<typeof post>>
      expect([answer.status, titleOf(answer) ?? '']).toEqual([status, title])
      expect(answer.headers.get('location') ?? '/').toMatch(/^\//)
      expect(await grantsOf(bench, visitor.account.id)).toEqual([])
      expect(bench.events.slice(before).filter(({ type }) => type.startsWith('grant.'))).toEqual([])
    },
  )

  test('is ignored after the first decision', async () => {
    const visitor = await bench.signedIn()
    const page = await open(visitor, requestPath())
    expect(answerTo(await decide(visitor, page, 'deny'))).toMatchObject({ error: 'access_denied' })
    const again = await decide(visitor, page, 'allow')
    expect([again.status, titleOf(again)]).toEqual([400, 'This request is no longer valid'])
    expect(await grantsOf(bench, visitor.account.id)).toEqual([])
  })

  test('is 503 and no answer while the store is down', async () => {
    const visitor = await bench.signedIn()
    const page = await open(visitor, requestPath())
    const down = createAskingBench({
      beside: bench,
      around: (call, run) => {
        if (call === 'documents.insert') throw new StoreError('STORE_UNAVAILABLE', '10.0.0.7 is down')
        return run()
      },
    })
    const other = Object.assign(createVisitor(down.server), { jar: new Map(visitor.jar) })
    const answer = await decide(other, page, 'allow')
    expect([answer.status, titleOf(answer)]).toEqual([503, 'Temporarily unavailable'])
    expect(answer.text).not.toContain('10.0.0.7')
  })
})

describe('the name of a client', () => {
  test.each([
    ['markup', '<script>alert(1)</script>"&', '&lt;script&gt;alert(1)&lt;/script&gt;&quot;&amp;'],
    ['an override of the direction', 'Bank\u202eelpmaxe.live\u2066', 'Bank elpmaxe.live'],
    ['line breaks and a tab', 'Reader\n\tasks\u2028nothing', 'Reader asks nothing'],
    ['nothing that is seen', '\u200b\u2060', 'reader-'],
    ['ten thousand letters', 'x'.repeat(10_000), `${'x'.repeat(100)}…`],
    ['a half of a pair', 'a\ud800b', 'a�b'],
    ['letters that run from right to left', 'קורא', 'קורא'],
  ])('with %s is shown as text, bounded and isolated', async (_what, name, shown) => {
    const visitor = await bench.signedIn()
    const id = await registerNamed(bench, name)
    const { text } = await open(visitor, requestPath({ client_id: id }))
    expect(/<bdi>(.*?)<\/bdi>/.exec(text)?.[1]).toMatch(new RegExp(`^${shown.replaceAll(/[.()]/g, '\\$&')}\\d*$`, 'u'))
    expect(text).not.toContain('<script>alert')
  })
})

describe('the text of scopes', () => {
  test("uses the application's words in the language of the page", async () => {
    const own = createAskingBench({
      options: { pages: { scopes: { en: { 'notes:write': 'Write <notes> for you', openid: 'Know you' } } } },
    })
    const { text } = await open(await own.signedIn(), requestPath({ scope: 'openid notes:write accounts:read' }))
    expect(text).toContain(
      '<li>Know you</li>\n<li>Write &lt;notes&gt; for you</li>\n<li><code>accounts:read</code></li>',
    )
  })

  test.each<[what: string, scopes: unknown, message: string]>([
    ['no table', 'read', '"pages.scopes" must be words of scopes by language'],
    ['a language without pages', { de: {} }, '"pages.scopes": the pages do not speak "de"'],
    ['no words', { en: { openid: ' ' } }, '"pages.scopes.en" must have words for "openid"'],
    ['a list', { en: ['openid'] }, '"pages.scopes.en" must be words by scope'],
  ])('is refused when the server is created, where it is %s', (_what, scopes, message) => {
    expect(() => createAskingBench({ options: { pages: { scopes: scopes as never } } })).toThrow(message)
  })
})
