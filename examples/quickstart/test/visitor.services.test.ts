import { findFreePort } from '@latchkey/test-services'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { expiredToken } from './support/expired-token.ts'
import { type Quickstart, startQuickstart } from './support/start-quickstart.ts'
import { createVisitor, seedPassword } from './support/visitor.ts'

// The story of one visit, in order, against `npm start`: each test goes on where the one before stopped.
describe('a visitor of the running service', () => {
  let service: Quickstart
  const environment: Record<string, string> = {}

  beforeAll(async () => {
    // It is started again on the same port, which no other process gets while it is away.
    environment.PORT = String(await findFreePort())
    service = await startQuickstart(environment)
    environment.DATA_DIR = service.dataDirectory
  })
  afterAll(() => service.stop())

  const publishedOf = async (email: string) => {
    const anonymous = createVisitor(service.url)
    const { data } = await anonymous.ask('{ articles(first: 50) { id title body author { id name } } }')
    const reader = createVisitor(service.url)
    await reader.signIn(email)
    const { data: me } = await reader.ask('{ viewer { id } }')
    return data.articles.filter((article: { author: { id: string } }) => article.author.id === me.viewer.id)
  }

  test('reads the published articles without an account', async () => {
    const answer = await createVisitor(service.url).ask('{ articles(first: 50) { status } }')
    expect(answer.status).toBe(200)
    expect(answer.data.articles).toHaveLength(16)
    expect(new Set(answer.data.articles.map(({ status }: { status: string }) => status))).toEqual(
      new Set(['PUBLISHED']),
    )
  })

  test('a visitor without a session gets 401 for a field that needs an identity', async () => {
    const answer = await createVisitor(service.url).ask('{ viewer { id } }')
    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/)
    expect(answer.errors[0]?.extensions.code).toBe('UNAUTHENTICATED')
    expect(answer.text).not.toContain('"data"')
  })

  test('signs up, follows the link of the mail, and only then can sign in', async () => {
    const [email, password] = ['newcomer@example.com', 'a heron waits for the tide']
    const visitor = createVisitor(service.url)
    const signedUp = await visitor.ask('mutation ($input: SignUpInput!) { signUp(input: $input) { accepted } }', {
      input: { email, password, name: 'Nia Newcomer' },
    })
    expect(signedUp).toMatchObject({ status: 200, data: { signUp: { accepted: true } } })
    const early = await visitor.signIn(email, 'SESSION', password)
    expect(early.status).toBe(401)

    const [mail] = await vi.waitFor(async () => {
      const mails = await service.mailsTo(email)
      expect(mails).toHaveLength(1)
      return mails
    }, 30_000)
    const link = new URL(mail?.url ?? '')
    expect(link.origin).toBe(service.url)
    const verify = 'mutation ($input: VerifyEmailInput!) { verifyEmail(input: $input) }'
    const input = { token: link.searchParams.get('token') }
    expect(await visitor.ask(verify, { input })).toMatchObject({ status: 200, data: { verifyEmail: true } })
    expect((await visitor.ask(verify, { input })).errors[0]?.extensions.code).toBe('BAD_USER_INPUT')

    const answer = await visitor.signIn(email, 'SESSION', password)
    expect(answer).toMatchObject({
      status: 200,
      data: { signIn: { status: 'SIGNED_IN', account: { role: 'READER' } } },
    })
    expect((await visitor.ask('{ viewer { name email } }')).data.viewer).toEqual({ name: 'Nia Newcomer', email })
  })

  test('gets the same bytes for an unknown address as for a wrong password', async () => {
    const unknown = await createVisitor(service.url).signIn(
      'nobody@example.com',
      'SESSION',
      'not the password of anyone',
    )
    const wrong = await createVisitor(service.url).signIn('author@example.com', 'SESSION', 'not the password of anyone')
    expect([unknown.status, unknown.errors[0]?.extensions.code]).toEqual([401, 'INVALID_CREDENTIALS'])
    expect(wrong.text).toBe(unknown.text)
    const comparable = (headers: Headers) => [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name))
    expect(comparable(wrong.headers)).toEqual(comparable(unknown.headers))
    const [one, other] = [wrong, unknown].map(({ headers }) => headers.get('x-request-id'))
    expect([one === other, one?.length]).toEqual([false, other?.length])
  })

  test('a visitor signs in by cookie: the body has no credential, and the cookie has every attribute', async () => {
    const visitor = createVisitor(service.url)
    const answer = await visitor.signIn('author@example.com')
    expect(answer.data.signIn).toMatchObject({
      status: 'SIGNED_IN',
      accessToken: null,
      refreshToken: null,
      challenge: null,
      factors: [],
    })
    expect(answer.headers.getSetCookie()[0]).toMatch(/^__Host-session=/)
    for (const attribute of ['HttpOnly', 'Secure', 'SameSite=Lax', 'Path=/', 'Max-Age=28800']) {
      expect(answer.headers.getSetCookie()[0]).toContain(attribute)
    }
    expect((await visitor.ask('{ viewer { name } }')).data.viewer.name).toBe('Ada Author')
  })

  test('a visitor signs in for a bearer token: the refresh token is in its cookie only', async () => {
    const visitor = createVisitor(service.url)
    const answer = await visitor.signIn('author@example.com', 'TOKEN')
    expect(answer.data.signIn).toMatchObject({ expiresIn: 900, refreshToken: null, csrfToken: null })
    expect(answer.headers.getSetCookie()[0]).toMatch(/^__Host-refresh=.*SameSite=Strict/)
    visitor.cookies.clear()
    expect((await visitor.ask('{ viewer { name } }')).data.viewer.name).toBe('Ada Author')
  })

  test('updates an own article, over the cookie and over the token', async () => {
    const [article] = await publishedOf('author@example.com')
    for (const delivery of ['SESSION', 'TOKEN'] as const) {
      const author = createVisitor(service.url)
      await author.signIn('author@example.com', delivery)
      const answer = await author.ask(
        'mutation ($input: UpdateArticleInput!) { updateArticle(input: $input) { title } }',
        {
          input: { id: article.id, title: `Changed over ${delivery}`, body: article.body },
        },
      )
      expect(answer).toMatchObject({ status: 200, data: { updateArticle: { title: `Changed over ${delivery}` } } })
    }
  })

  test('a visitor cannot update the article of another, which stays unchanged', async () => {
    const [article] = await publishedOf('other@example.com')
    const author = createVisitor(service.url)
    await author.signIn('author@example.com')
    const update = 'mutation ($input: UpdateArticleInput!) { updateArticle(input: $input) { title } }'
    const foreign = await author.ask(update, { input: { id: article.id, title: 'Mine now', body: 'Mine.' } })
    const missing = await author.ask(update, { input: { id: 'art_nothing', title: 'Mine now', body: 'Mine.' } })
    expect([foreign.status, foreign.errors[0]?.extensions.code]).toEqual([403, 'FORBIDDEN'])
    expect(missing.text).toBe(foreign.text)
    const now = await author.ask('query ($id: ID!) { article(id: $id) { title body } }', { id: article.id })
    expect(now.data.article).toEqual({ title: article.title, body: article.body })
  })

  test('publishes as an editor, and not as a reader', async () => {
    const author = createVisitor(service.url)
    await author.signIn('author@example.com')
    const created = await author.ask(
      'mutation { createArticle(input: { title: "A draft", body: "Some words." }) { id status } }',
    )
    const { id, status } = created.data.createArticle
    expect(status).toBe('DRAFT')
    const publish = 'mutation ($id: ID!) { publishArticle(id: $id) { status } }'
    const reader = createVisitor(service.url)
    await reader.signIn('reader@example.com')
    expect((await reader.ask('query ($id: ID!) { article(id: $id) { id } }', { id })).data.article).toBeNull()
    const refused = await reader.ask(publish, { id })
    expect([refused.status, refused.errors[0]?.extensions.code]).toEqual([403, 'FORBIDDEN'])
    const editor = createVisitor(service.url)
    await editor.signIn('editor@example.com')
    expect((await editor.ask('query ($id: ID!) { article(id: $id) { status } }', { id })).data.article.status).toBe(
      'DRAFT',
    )
    expect((await editor.ask(publish, { id })).data.publishArticle.status).toBe('PUBLISHED')
  })

  test('lists the accounts as an administrator only', async () => {
    const admin = createVisitor(service.url)
    await admin.signIn('admin@example.com')
    const { data } = await admin.ask('{ accounts(first: 50) { email role } }')
    expect(data.accounts).toContainEqual({ email: 'editor@example.com', role: 'EDITOR' })
    const editor = createVisitor(service.url)
    await editor.signIn('editor@example.com')
    expect((await editor.ask('{ accounts { email } }')).status).toBe(403)
  })

  test('is not known by a token that has expired, was tampered with, has no signature, or is of another kind', async () => {
    const visitor = createVisitor(service.url)
    await visitor.signIn('admin@example.com', 'TOKEN')
    const token = visitor.bearer ?? ''
    const [header = '', payload = '', signature = ''] = token.split('.')
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
    const refused = {
      'an expired token': await expiredToken(service, claims),
      'another payload': [header, encode({ ...claims, sub: 'acc_other' }), signature].join('.'),
      'another signature': [header, payload, signature.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))].join('.'),
      'alg none': [encode({ alg: 'none', typ: 'JWT' }), payload, ''].join('.'),
      'alg none, signed': [encode({ alg: 'none', typ: 'JWT' }), payload, signature].join('.'),
      'no signature': `${header}.${payload}.`,
      'a session in its place': [...visitor.cookies.values()][0] ?? '',
    }
    visitor.cookies.clear()
    for (const [what, bearer] of Object.entries(refused)) {
      visitor.bearer = bearer
      const answer = await visitor.ask('{ viewer { id } }')
      expect([what, answer.status, answer.headers.get('www-authenticate')]).toEqual([
        what,
        401,
        expect.stringContaining('error="invalid_token"'),
      ])
    }
    visitor.bearer = token
    expect((await visitor.ask('{ viewer { id } }')).status).toBe(200)
  })

  test('finds the session and the article again after the service was killed', async () => {
    const author = createVisitor(service.url)
    await author.signIn('author@example.com')
    const { data } = await author.ask(
      'mutation { createArticle(input: { title: "Written before the fall", body: "Kept." }) { id } }',
    )
    await service.kill()
    service = await startQuickstart(environment)
    const answer = await author.ask('query ($id: ID!) { viewer { name } article(id: $id) { title } }', {
      id: data.createArticle.id,
    })
    expect(answer.data).toEqual({ viewer: { name: 'Ada Author' }, article: { title: 'Written before the fall' } })
  })

  test('a stopped service exits with code 0, and its port is free', async () => {
    const { url } = service
    expect(await service.stop()).toBe(0)
    await expect(fetch(`${url}/healthz`)).rejects.toThrow()
    expect(service.output()).not.toContain(seedPassword)
    service = await startQuickstart(environment)
  })
})
