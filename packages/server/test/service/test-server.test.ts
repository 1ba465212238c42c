import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { allowNativeDelivery, type StoredAccount } from '@latchkey/accounts'
import type { AccessErrorCode } from '@latchkey/graphql'
import { definePolicy } from '@latchkey/rbac'
import { createServer, type Server, type ServerEvent, type ServerOptions } from '@latchkey/server'
import { createFileSecrets } from '@latchkey/server/node'
import { createTestServer, type TestResult, type TestServer, type TestVisitor } from '@latchkey/server/testing'
import { createMemoryCounterStore } from '@latchkey/store'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { createMemoryStores } from '../support/bench.ts'

const folder = mkdtempSync(join(tmpdir(), 'latchkey-testing-'))
afterAll(() => rmSync(folder, { recursive: true }))
afterEach(() => {
  vi.unstubAllEnvs()
})

type Article = { readonly id: string; readonly title: string; readonly authorId: string }
const articles = new Map<string, Article>()
const policy = definePolicy({
  permissions: ['articles:create', 'articles:update', 'articles:publish', 'accounts:read', 'accounts:update'],
  roles: {
    AUTHOR: { permissions: ['articles:create', 'articles:update'] },
    EDITOR: { inherits: ['AUTHOR'], permissions: ['articles:publish'] },
    CLERK: { permissions: ['accounts:read'] },
  },
  ownership: {
    articles: {
      ownersById: async (ids) =>
        new Map([...articles.values()].filter(({ id }) => ids.includes(id)).map(({ id, authorId }) => [id, authorId])),
    },
  },
})
const typeDefs = /* GraphQL */ `
  type Article { id: ID! @public }
  type Query { hello: String! @public, time: String! @public, plan: String @public }
  type Mutation {
    createArticle(title: String!): Article! @requires(permissions: "articles:create")
    updateArticle(id: ID!, title: String!): Article! @requires(permissions: "articles:update") @owner(of: "articles", argument: "id")
    publishArticle(id: ID!): Article! @requires(permissions: "articles:publish") @stepUp(maxAgeSeconds: 300)
  }`

/** The stores of a server that is in use elsewhere: every call of them fails. */
const refuse = () => {
  throw new Error('the real stores were touched')
}
const untouchable = new Proxy(
  {
    capabilities: { contract: 1, consistency: 'strong', clock: 'given' },
    now: () => 1_800_000_000_000,
    reservations: undefined,
    identities: undefined,
  },
  { get: (target, name) => (name in target ? Reflect.get(target, name) : refuse) },
)

function serverOf(
  options: Partial<Omit<ServerOptions<typeof policy>, 'policy' | 'typeDefs' | 'resolvers' | 'schema'>> = {},
): Server {
  return createServer<typeof policy>({
    baseUrl: 'https://example.com',
    secrets: createFileSecrets({ path: join(folder, 'secret') }),
    stores: {
      records: untouchable,
      accounts: untouchable,
      documents: untouchable,
      lockouts: { ...createMemoryCounterStore(), hit: refuse, reset: refuse },
      check: refuse,
      close: refuse,
    } as never,
    signUp: { role: 'AUTHOR' },
    policy,
    typeDefs,
    resolvers: {
      Query: {
        hello: () => 'Hello',
        time: () => new Date().toISOString(),
        plan: () => {
          throw new Error('no plan')
        },
      },
      Mutation: {
        createArticle(_source, { title }: { title: string }, { identity }) {
          const article = { id: crypto.randomUUID(), title, authorId: identity?.subject ?? '' }
          articles.set(article.id, article)
          return article
        },
        updateArticle: (_source, { id }: { id: string }) => articles.get(id),
        publishArticle: (_source, { id }: { id: string }) => ({ id }),
      },
    },
    ...options,
    mails: { mailer: { send: async () => refuse() }, ...options.mails },
  })
}

const server = serverOf()
const outcomeOf = ({ status, code }: TestResult): readonly [number, string | null] => [status, code]
const publish = 'mutation { publishArticle(id: 1) { id } }'
const create = 'mutation { createArticle(title: "T") { id } }'
const viewer = '{ viewer { id name email role } }'
const signIn = `mutation ($input: SignInInput!) { signIn(input: $input) { accessToken refreshToken account { id } } }`

const stepUp: AccessErrorCode = 'STEP_UP_REQUIRED'

describe('a test server', () => {
  test('answers a test that blocks the event loop, for any "http.maxLoopDelayMs"', async () => {
    const { visitor } = await createTestServer(serverOf({ http: { maxLoopDelayMs: 1 } }))
    const stranger = visitor()
    expect((await stranger.graphql('{ hello }')).status).toBe(200)
    const end = Date.now() + 300
    while (Date.now() < end);
    expect((await stranger.graphql('{ hello }')).status).toBe(200)
  })

  test('publishing asks for a fresh second factor', async () => {
    const { clock, signedIn } = await createTestServer(server) // memory stores, one clock for everything, no sockets
    const editor = await signedIn({ role: 'EDITOR', factors: ['password', 'totp'] })
    await clock.advance({ minutes: 5 })
    expect(outcomeOf(await editor.graphql(publish))).toEqual([200, null])
    await clock.advance({ seconds: 1 })
    expect(await editor.graphql(publish)).toMatchObject({ status: 401, code: stepUp })
  })

  test('signs in with the given factors only', async () => {
    const { signedIn } = await createTestServer(server)
    const byPassword = await signedIn({ role: 'EDITOR' })
    expect(outcomeOf(await byPassword.graphql(publish))).toEqual([401, stepUp])
    const byPasskey = await signedIn({ role: 'EDITOR', factors: ['passkey'] })
    expect(outcomeOf(await byPasskey.graphql(publish))).toEqual([200, null])
    const byNothing = await signedIn({ role: 'EDITOR', factors: [] })
    expect(outcomeOf(await byNothing.graphql(create))).toEqual([200, null])
  })

  test('creates an account for every visitor, with the given roles', async () => {
    const { signedIn } = await createTestServer(server)
    const [author, clerk] = [await signedIn({ role: 'AUTHOR' }), await signedIn({ roles: ['CLERK', 'AUTHOR'] })]
    const { data } = await author.graphql<{ viewer: StoredAccount }>(viewer)
    expect(data?.viewer).toEqual({ ...pick(author.account), role: 'AUTHOR' })
    expect(clerk.account.roles).toEqual(['CLERK', 'AUTHOR'])
    expect(author.account.id).not.toBe(clerk.account.id)
    const listed = await clerk.graphql<{ accounts: readonly { id: string }[] }>('{ accounts { id } }')
    expect(listed.data?.accounts.map(({ id }) => id)).toEqual([author.account.id, clerk.account.id])
    expect(outcomeOf(await author.graphql('{ accounts { id } }'))).toEqual([403, 'FORBIDDEN'])
  })

  test('decides ownership by the application’s own data', async () => {
    const { signedIn } = await createTestServer(server)
    const [ada, ben] = [await signedIn({ role: 'AUTHOR' }), await signedIn({ role: 'AUTHOR' })]
    const { data } = await ada.graphql<{ createArticle: { id: string } }>(create)
    const update = 'mutation ($id: ID!) { updateArticle(id: $id, title: "New") { id } }'
    const variables = { id: data?.createArticle.id }
    expect(outcomeOf(await ada.graphql(update, variables))).toEqual([200, null])
    expect(outcomeOf(await ben.graphql(update, variables))).toEqual([403, 'FORBIDDEN'])
  })

  test('signs up, mails, verifies and signs in, as a browser does', async () => {
    const { visitor, mails, clock } = await createTestServer(server)
    const browser = visitor()
    const [email, secret] = ['ada@example.com', 'seven kettles hum along']
    const signUp = 'mutation ($input: SignUpInput!) { signUp(input: $input) { accepted } }'
    await browser.graphql(signUp, { input: { email, password: secret, name: 'Ada' } })
    await visitor().graphql(signUp, { input: { email: 'ben@example.com', password: secret, name: 'Ben' } })
    expect((await mails()).map(({ to }) => to)).toEqual([email, 'ben@example.com'])
    const [mail] = await mails(email)
    const token = new URL(mail?.url ?? '').searchParams.get('token')
    const verify = 'mutation ($input: VerifyEmailInput!) { verifyEmail(input: $input) }'
    expect((await browser.graphql(verify, { input: { token } })).data).toEqual({ verifyEmail: true })
    expect(outcomeOf(await browser.graphql(viewer))).toEqual([401, 'UNAUTHENTICATED'])
    expect((await browser.graphql(signIn, { input: { email, password: secret } })).status).toBe(200)
    expect(await browser.graphql(viewer)).toMatchObject({ data: { viewer: { name: 'Ada', email } }, errors: [] })
    // A mutation over the new cookie needs the token that its page reads.
    expect(outcomeOf(await browser.graphql(create))).toEqual([200, null])
    expect((await browser.graphql('mutation { signOut }')).data).toEqual({ signOut: true })
    expect(outcomeOf(await browser.graphql(viewer))).toEqual([401, 'UNAUTHENTICATED'])
    expect(await sendsCookies(browser)).toBe(false)

    await clock.advance({ hours: 24, milliseconds: 1 })
    const late = new URL((await mails('ben@example.com'))[0]?.url ?? '').searchParams.get('token')
    expect(outcomeOf(await browser.graphql(verify, { input: { token: late } }))).toEqual([200, 'BAD_USER_INPUT'])
  })

  test('serves the pages behind the links', async () => {
    const { visitor, signedIn, mails } = await createTestServer(server)
    const { account, password } = await signedIn({ role: 'AUTHOR' })
    const browser = visitor()
    const ask = 'mutation ($input: RequestPasswordResetInput!) { requestPasswordReset(input: $input) }'
    await browser.graphql(ask, { input: { email: account.email } })
    const link = new URL((await mails(account.email))[0]?.url ?? '')
    expect((await browser.fetch(link.pathname + link.search)).status).toBe(200)
    const fields = { token: link.searchParams.get('token') ?? '', password: 'seven kettles hum along' }
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const form = { method: 'POST', body: new URLSearchParams(fields).toString(), headers }
    const forged = await browser.fetch('/reset', { ...form, headers: { ...headers, 'sec-fetch-site': 'cross-site' } })
    expect(forged.status).toBe(403)
    expect((await browser.fetch('/reset', form)).status).toBe(200)
    const old = await browser.graphql(signIn, { input: { email: account.email, password } })
    expect(outcomeOf(old)).toEqual([401, 'INVALID_CREDENTIALS'])
    const now = await browser.graphql(signIn, { input: { email: account.email, password: fields.password } })
    expect(outcomeOf(now)).toEqual([200, null])
  })

  test('lets an account sign in with its password', async () => {
    const { visitor, signedIn } = await createTestServer(server)
    const { account, password } = await signedIn({ role: 'AUTHOR' })
    const elsewhere = visitor()
    const answer = await elsewhere.graphql(signIn, { input: { email: account.email, password } })
    expect(answer.data).toMatchObject({ signIn: { account: { id: account.id } } })
    expect(answer.headers.getSetCookie().join()).toMatch(/^__Host-session=/)
  })
})

describe('its clock', () => {
  test('expires unused sessions, and eventually all sessions', async () => {
    const { clock, signedIn } = await createTestServer(server)
    const [idle, busy] = [await signedIn({ role: 'AUTHOR' }), await signedIn({ role: 'AUTHOR' })]
    for (let hour = 0; hour < 7; hour++) {
      await clock.advance({ minutes: 59, seconds: 59 })
      expect((await busy.graphql(viewer)).status).toBe(200)
    }
    expect((await idle.graphql(viewer)).status).toBe(401)
    await clock.advance({ minutes: 59 })
    expect((await busy.graphql(viewer)).status).toBe(200)
    expect(await sendsCookies(busy)).toBe(true)
    await clock.advance({ minutes: 2 })
    expect(outcomeOf(await busy.graphql(viewer))).toEqual([401, 'UNAUTHENTICATED'])
    expect(await sendsCookies(busy)).toBe(false)
  })

  test('expires access tokens', async () => {
    const { clock, signedIn, visitor } = await createTestServer(server)
    const { account, password } = await signedIn({ role: 'AUTHOR' })
    const page = visitor()
    const input = { email: account.email, password, delivery: 'TOKEN' }
    const { data } = await page.graphql<{ signIn: { accessToken: string } }>(signIn, { input })
    const headers = { authorization: `Bearer ${data?.signIn.accessToken}` }
    expect((await page.graphql(viewer, {}, { headers })).status).toBe(200)
    await clock.advance({ minutes: 16 })
    expect((await page.graphql(viewer, {}, { headers })).status).toBe(401)
    expect((await page.graphql('mutation { refresh { accessToken } }')).status).toBe(200)
    await clock.advance({ days: 30 })
    expect((await page.graphql('mutation { refresh { accessToken } }')).status).toBe(401)
  })

  test("starts at the time of the stores' clock, and advances only by clock.advance", async () => {
    const { clock, events, signedIn } = await createTestServer(server)
    expect(clock.now()).toBe(1_800_000_000_000)
    await clock.advance({ days: 1, hours: 1, minutes: 1, seconds: 1, milliseconds: 1 })
    await signedIn({ role: 'AUTHOR' })
    expect(clock.now()).toBe(1_800_090_061_001)
    expect(events).toMatchObject([{ type: 'session.created', at: 1_800_090_061_001 }])
  })

  test.each([
    ['"minutes" must be', { minutes: -1 }],
    ['"seconds" must be', { seconds: Number.NaN }],
    ['"days" must be', { days: '1' }],
    ['clock.advance has no option "weeks"', { weeks: 1 }],
    ['clock.advance takes an object', 60_000],
    ['clock.advance takes an object', undefined],
  ])('is not advanced by an invalid step: %s', async (message, step) => {
    const { clock } = await createTestServer(server)
    const before = clock.now()
    await expect(clock.advance(step as never)).rejects.toThrow(message)
    await expect(clock.advance(step as never)).rejects.toThrow(TypeError)
    expect(clock.now()).toBe(before)
  })
})

describe('requests of a test server pass the stages of production', () => {
  const refusals: [string, Record<string, string | null>, number, string][] = [
    ['without the token of its page', { 'x-csrf-token': null }, 403, 'CSRF_REJECTED'],
    ['with the token of another session', { 'x-csrf-token': 'abc' }, 403, 'CSRF_REJECTED'],
    ['from a foreign page', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }, 403, 'CSRF_REJECTED'],
    ['without its cookie', { cookie: null }, 401, 'UNAUTHENTICATED'],
    [
      'with a forged cookie',
      { cookie: `__Host-session=se_${'A'.repeat(22)}.${'B'.repeat(43)}` },
      401,
      'UNAUTHENTICATED',
    ],
  ]
  test.each(refusals)('%s', async (_what, headers, status, code) => {
    const { signedIn } = await createTestServer(server)
    const author = await signedIn({ role: 'AUTHOR' })
    const before = articles.size
    expect(outcomeOf(await author.graphql(create, {}, { headers }))).toEqual([status, code])
    expect(articles.size).toBe(before)
    expect(outcomeOf(await author.graphql(create))).toEqual([200, null])
  })

  test('native delivery is for applications, and for servers that allow it', async () => {
    const { signedIn, visitor } = await createTestServer(
      serverOf({ sessions: { nativeDelivery: allowNativeDelivery } }),
    )
    const { account, password } = await signedIn({ role: 'AUTHOR' })
    const input = { email: account.email, password, delivery: 'NATIVE' }
    const asked = async (asker: TestVisitor) => outcomeOf(await asker.graphql(signIn, { input }))
    expect(await asked(visitor())).toEqual([200, 'BAD_USER_INPUT'])
    expect(await asked(visitor({ agent: 'application' }))).toEqual([200, null])
    expect(() => visitor({ agent: 'app' as 'application' })).toThrow(TypeError)
    const { visitor: other } = await createTestServer(server)
    expect(await asked(other({ agent: 'application' }))).toEqual([200, 'BAD_USER_INPUT'])
  })

  test('the address of a visitor reaches the device list', async () => {
    const { signedIn, visitor } = await createTestServer(server)
    const { account, password } = await signedIn({ role: 'AUTHOR' })
    const elsewhere = visitor({ address: '198.51.100.7' })
    await elsewhere.graphql(signIn, { input: { email: account.email, password } })
    const { data } = await elsewhere.graphql<{ sessions: readonly object[] }>('{ sessions { address current } }')
    expect(data?.sessions).toContainEqual({ address: '198.51.100.7', current: true })
  })

  test('a listener of the server receives every event, and so does the test', async () => {
    const heard: ServerEvent[] = []
    const { events, signedIn } = await createTestServer(
      serverOf({ observe: { onEvent: (event) => void heard.push(event) } }),
    )
    const author = await signedIn({ role: 'AUTHOR' })
    await author.graphql('{ accounts { id } }')
    expect(await author.graphql('{ plan }')).toMatchObject({
      status: 200,
      code: 'INTERNAL_SERVER_ERROR',
      data: { plan: null },
    })
    expect(events.map(({ type }) => type)).toEqual(['session.created', 'access.denied', 'access.failed'])
    expect(heard).toEqual(events)
  })
})

describe('the parts of a test server', () => {
  test('are separate: the parts of the server are neither opened, read nor written', async () => {
    const { signedIn, close } = await createTestServer(server)
    await (await signedIn({ role: 'AUTHOR' })).graphql(create)
    await close()
    expect(existsSync(join(folder, 'secret'))).toBe(false)
    expect(Reflect.get(server, 'stores').records).toBe(untouchable)
  })

  test('is not shared: an account, a cookie and the time of one are unknown to the next', async () => {
    const [one, other] = [await createTestServer(server), await createTestServer(server)]
    const author = await one.signedIn({ role: 'AUTHOR' })
    await one.clock.advance({ days: 1 })
    expect(other.clock.now()).toBeLessThan(one.clock.now() - 80_000_000)
    const again = await one
      .visitor()
      .graphql(signIn, { input: { email: author.account.email, password: author.password } })
    const cookie = again.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    expect((await one.visitor().graphql(viewer, {}, { headers: { cookie } })).status).toBe(200)
    expect((await other.visitor().graphql(viewer, {}, { headers: { cookie } })).status).toBe(401)
    const { email } = author.account
    const stranger = await other.visitor().graphql(signIn, { input: { email, password: author.password } })
    expect(outcomeOf(stranger)).toEqual([401, 'INVALID_CREDENTIALS'])
  })

  test('is cheap inside it and nowhere else', async () => {
    const real = serverOf({
      stores: createMemoryStores(),
      secrets: { load: async () => [{ id: 'a', bytes: new Uint8Array(32).fill(7) }] },
      mails: { mailer: { send: async ({ url }) => void links.push(url ?? '') }, maxDelayMs: 0 },
    })
    const links: string[] = []
    const made = await createTestServer(real)
    const hashes = [await hashAfterSignUp(made.server, async () => (await made.mails())[0]?.url ?? '')]
    hashes.push(await hashAfterSignUp(real, async () => vi.waitUntil(() => links[0], { timeout: 15_000 })))
    expect(hashes.map((hash) => /m=\d+/.exec(hash ?? '')?.[0])).toEqual(['m=8', 'm=19456'])
    await real.close()
  })

  test('answers 503 once it is closed, and its server can be used like any other', async () => {
    const made = await createTestServer(server)
    expect((await made.server.fetch(new Request('https://example.com/readyz'))).status).toBe(200)
    await made.close()
    await made.close()
    expect((await made.visitor().graphql('{ hello }')).status).toBe(503)
  })
})

describe('a test server is refused', () => {
  test.each([
    ['nothing', undefined],
    ['null', null],
    ['a copy', { ...server }],
    ['one with the same prototype', Object.create(server)],
    ['its options', { policy, typeDefs }],
  ])('for a value that is not a server: %s', async (_what, given) => {
    await expect(createTestServer(given as Server)).rejects.toThrow('"server" must be what createServer')
    await expect(createTestServer(given as Server)).rejects.toThrow(TypeError)
  })

  test.each(['production', 'prod'])('if NODE_ENV is %s', async (name) => {
    vi.stubEnv('NODE_ENV', name)
    await expect(createTestServer(server)).rejects.toThrow(/is for tests/)
    await expect(createTestServer(server)).rejects.toThrow(TypeError)
  })

  test.each([
    ['"OWNER" is not a role of the policy: it has AUTHOR, EDITOR, CLERK', { role: 'OWNER' }],
    ['"role" or "roles"', {}],
    ['"role" or "roles"', { role: 'AUTHOR', roles: ['EDITOR'] }],
    ['"role" or "roles"', { roles: 'AUTHOR' }],
    ['"role" or "roles"', { role: null }],
    ['"factors" must be a list', { role: 'AUTHOR', factors: 'totp' }],
    ['signedIn has no option "factor"', { role: 'AUTHOR', factor: 'totp' }],
    ['signedIn takes an object', undefined],
  ])('a visitor who cannot sign in: %s', async (message, input) => {
    const { signedIn, events } = await createTestServer(server)
    await expect(signedIn(input as never)).rejects.toThrow(message)
    await expect(signedIn(input as never)).rejects.toThrow(TypeError)
    expect(events).toEqual([])
  })
})

test('a server has no member by which its stores, its clock or its hashes could be changed', () => {
  const names = [
    'access',
    'accessTokens',
    'accounts',
    'baseUrl',
    'batchable',
    'close',
    'cookiesOf',
    'endStreams',
    'fetch',
    'handle',
    'open',
    'path',
    'replaceKeys',
    'revokeToken',
    'rotateKeys',
    'serves',
    'sockets',
    'stores',
    'tools',
  ]
  expect(Reflect.ownKeys(server).sort()).toEqual(names)
  expect(Object.getPrototypeOf(server)).toBe(Object.prototype)
  expect(Object.isFrozen(server.accessTokens)).toBe(true)
})

/** A page of another origin may request what is public, but not with the cookies of a user. */
async function sendsCookies(visitor: TestVisitor): Promise<boolean> {
  const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  return (await visitor.graphql('{ hello }', {}, { headers: foreign })).status === 403
}

function pick({ id, name, email }: Pick<StoredAccount, 'id' | 'name' | 'email'>) {
  return { id, name, email }
}

async function hashAfterSignUp(service: Server, link: () => Promise<string>): Promise<string | null | undefined> {
  const ask = async (query: string, input: object) => {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ query, variables: { input } })
    await service.fetch(new Request('https://example.com/graphql', { method: 'POST', headers, body }))
  }
  const email = 'ada@example.com'
  const input = { email, password: 'seven kettles hum along', name: 'Ada' }
  await ask('mutation ($input: SignUpInput!) { signUp(input: $input) { accepted } }', input)
  const token = new URL(await link()).searchParams.get('token')
  await ask('mutation ($input: VerifyEmailInput!) { verifyEmail(input: $input) }', { token, password: input.password })
  return (await service.stores.accounts.getByEmail(email))?.passwordHash
}

test('a test server has its own type', () => {
  const made: Promise<TestServer> = createTestServer(server)
  expect(made).toBeInstanceOf(Promise)
  return made
})
