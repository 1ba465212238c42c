import { createKeyRing, generateJwtKey } from '@latchkey/jwt'
import { createClientRegistry } from '@latchkey/oauth/server'
import { createMemoryDocumentStore, createMemoryRecordStore, type RecordStore, StoreError } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { issuer, web } from './support/provider.ts'
import { board, createToldProvider, desk, give, giveCode, redeem } from './support/told-clients.ts'

const failures = (events: readonly { readonly type: string }[]) => events.filter(({ type }) => type === 'logout.failed')

describe('the end of a session', () => {
  test('posts one logout token to each client with a logout address and an id token of the session', async () => {
    const { server, told, events, openBrowser, now } = await createToldProvider()
    const browser = openBrowser()
    const { key } = browser.signIn()
    await give(browser)
    await give(browser, desk, 'openid offline_access')
    await give(browser, board)
    await give(browser, web)
    await server.endSession('acc_ada', key)
    await server.settled()
    const iat = Math.floor(now() / 1000)
    const common = { iss: issuer, sub: 'acc_ada', sid: key, iat, exp: iat + 120, jti: expect.any(String) }
    const event = { 'http://schemas.openid.net/event/backchannel-logout': {} }
    expect(
      told.map(({ claims }) => claims).toSorted((one, other) => `${other.aud}`.localeCompare(`${one.aud}`)),
    ).toEqual([
      { ...common, aud: 'desk', events: event },
      { ...common, aud: 'board', events: event },
    ])
    expect(told.map(({ header }) => header.typ)).toEqual(['logout+jwt', 'logout+jwt'])
    expect(told.map(({ url }) => url).toSorted()).toEqual([board.backchannelLogoutUri, desk.backchannelLogoutUri])
    for (const { init } of told) {
      expect(init).toMatchObject({ method: 'POST', redirect: 'manual' })
      expect(new Headers(new Request(issuer, init).headers).get('content-type')).toMatch(
        /^application\/x-www-form-urlencoded/,
      )
    }
    expect(events.filter(({ type }) => type === 'logout.sent')).toMatchObject([
      { accountId: 'acc_ada', sessionKey: key },
      { accountId: 'acc_ada', sessionKey: key },
    ])
  })

  test('a logout token uses the algorithm that the client has chosen for id tokens', async () => {
    const [ecKey, rsaKey] = [await generateJwtKey('ES256'), await generateJwtKey('RS256')]
    const { server, told, openBrowser } = await createToldProvider(undefined, {
      fixedClients: [{ ...desk, idTokenSignedResponseAlg: 'RS256' }, board],
      idTokenKeys: [createKeyRing({ keys: [ecKey] }), createKeyRing({ keys: [rsaKey] })],
    })
    const browser = openBrowser()
    const { key } = browser.signIn()
    for (const client of [desk, board]) await give(browser, client)
    await server.endSession('acc_ada', key)
    await server.settled()
    const algorithms = told.map(({ header, claims }) => [claims.aud, header.alg])
    expect(Object.fromEntries(algorithms)).toEqual({ desk: 'RS256', board: 'ES256' })
  })

  test('clients of other sessions and accounts, clients without `openid` and clients with an unused code are not notified', async () => {
    const { server, told, openBrowser } = await createToldProvider()
    const [browser, elsewhere, eve] = [openBrowser(), openBrowser(), openBrowser()]
    const { key } = browser.signIn()
    elsewhere.signIn()
    eve.signIn('acc_eve')
    await give(elsewhere)
    await give(eve)
    await give(browser, desk, 'articles:read')
    await giveCode(browser, board)
    await server.endSession('acc_ada', key)
    await server.settled()
    expect(told).toEqual([])
  })

  test('a client is notified once, however often and in however many processes the session is revoked', async () => {
    const records = createMemoryRecordStore({ now: () => 1_790_000_000_000 })
    const [one, other] = [
      await createToldProvider(undefined, { records }),
      await createToldProvider(undefined, { records }),
    ]
    const browser = one.openBrowser()
    const { key } = browser.signIn()
    await give(browser)
    const ends = Array.from({ length: 20 }, (_none, index) =>
      (index % 2 ? one : other).server.endSession('acc_ada', key),
    )
    await Promise.all(ends)
    await Promise.all([one.server.settled(), other.server.settled()])
    expect(one.told.length + other.told.length).toBe(1)
    await give(openSignedIn(one.openBrowser))
    for (const { server } of [one, other, one, other]) server.notifySessionsEnded('acc_ada')
    await Promise.all([one.server.settled(), other.server.settled()])
    expect(one.told.length + other.told.length).toBe(2)
  })

  test('a session that expired long ago notifies no client', async () => {
    const { server, told, openBrowser, advance } = await createToldProvider(undefined, { sessionSeconds: 3600 })
    const browser = openBrowser()
    const { key } = browser.signIn()
    await give(browser)
    advance(3600)
    await server.endSession('acc_ada', key)
    await server.settled()
    expect(told).toEqual([])
    await give(openSignedIn(openBrowser), board)
    advance(3599)
    server.notifySessionsEnded('acc_ada')
    await server.settled()
    expect(told).toHaveLength(1)
  })

  test('an unused code of a revoked session is refused to a client with a logout address, also with `offline_access`', async () => {
    const { server, told, openBrowser } = await createToldProvider()
    const browser = openBrowser()
    const { key } = browser.signIn()
    const code = await giveCode(browser, desk, 'openid offline_access')
    const untold = await giveCode(browser, web, 'openid offline_access')
    await server.endSession('acc_ada', key)
    expect(await redeem(browser, code)).toMatchObject({ status: 400, answer: { error: 'invalid_grant' } })
    expect(await redeem(browser, untold, web)).toMatchObject({ status: 200 })
    await server.settled()
    expect(told).toEqual([])
  })
})

test('the revocation of all sessions but one notifies the clients of the revoked sessions', async () => {
  const { server, told, openBrowser } = await createToldProvider()
  const browsers = [openBrowser(), openBrowser(), openBrowser()]
  const keys = browsers.map((browser) => browser.signIn().key)
  const eve = openBrowser()
  eve.signIn('acc_eve')
  for (const browser of [...browsers, eve]) await give(browser)
  server.notifySessionsEnded('acc_ada', { except: keys[1] ?? '' })
  await server.settled()
  expect(told.map(({ claims }) => claims.sid).toSorted()).toEqual([keys[0], keys[2]].toSorted())
  server.notifySessionsEnded('acc_ada')
  await server.settled()
  expect(told.map(({ claims }) => claims.sid)).toHaveLength(3)
  expect(told.at(-1)?.claims).toMatchObject({ sid: keys[1], sub: 'acc_ada' })
})

describe('an undelivered notification neither delays nor fails the logout, and is an event without a secret:', () => {
  const never = new Promise<Response>(() => {})
  const cases: readonly [string, string, () => Promise<Response>][] = [
    ['the client answers 500', 'status', async () => new Response('no', { status: 500 })],
    ['the client answers 400', 'status', async () => new Response('no', { status: 400 })],
    [
      'the client redirects',
      'status',
      async () => new Response(null, { status: 307, headers: { location: 'http://127.0.0.1/' } }),
    ],
    ['there is no connection', 'unreachable', () => Promise.reject(new TypeError('fetch failed'))],
    ['the client never answers', 'late', () => never],
  ]
  test.each(cases)('%s', async (_title, reason, answer) => {
    const { server, told, events, openBrowser } = await createToldProvider(answer, { logoutTimeoutMs: 100 })
    const browser = openBrowser()
    const { key } = browser.signIn()
    await give(browser)
    await server.endSession('acc_ada', key)
    expect(failures(events)).toEqual([])
    await server.settled()
    expect(told).toHaveLength(1)
    expect(failures(events)).toMatchObject([{ clientId: 'desk', accountId: 'acc_ada', sessionKey: key, reason }])
    const token = new URLSearchParams(`${told[0]?.init.body}`).get('logout_token') ?? 'none'
    expect(
      JSON.stringify(events) + String(failures(events).map((event) => (event as { cause?: unknown }).cause)),
    ).not.toContain(token)
    expect(events.filter(({ type }) => type === 'logout.sent')).toEqual([])
  })

  test('the store cannot list the clients', async () => {
    const store = createMemoryRecordStore({ now: () => 1_790_000_000_000 })
    const records: RecordStore = {
      ...store,
      listByOwner: (owner, page) =>
        owner.startsWith('sc_')
          ? Promise.reject(new StoreError('STORE_UNAVAILABLE', 'down'))
          : store.listByOwner(owner, page),
    }
    const { server, told, events, openBrowser } = await createToldProvider(undefined, { records })
    const browser = openBrowser()
    const { key } = browser.signIn()
    await give(browser)
    await server.endSession('acc_ada', key)
    await server.settled()
    expect(failures(events)).toMatchObject([{ clientId: '', reason: 'store', failure: 'STORE_UNAVAILABLE' }])
    expect(told).toEqual([])
  })
})

test('a notification does not read the body of the response', async () => {
  let isCancelled = false
  const body = new ReadableStream({
    pull: (out) => out.enqueue(new Uint8Array(65_536)),
    cancel() {
      isCancelled = true
    },
  })
  const { server, events, openBrowser } = await createToldProvider(async () => new Response(body))
  const browser = openBrowser()
  const { key } = browser.signIn()
  await give(browser)
  await server.endSession('acc_ada', key)
  await server.settled()
  expect(isCancelled).toBe(true)
  expect(failures(events)).toEqual([])
})

test('a slow client gets four calls at once, and delays no other client', async () => {
  const open: (() => void)[] = []
  const answer = (url: string) =>
    url === desk.backchannelLogoutUri
      ? new Promise<Response>((resolve) => open.push(() => resolve(new Response(null, { status: 204 }))))
      : Promise.resolve(new Response())
  const { server, told, events, openBrowser } = await createToldProvider(answer, { logoutTimeoutMs: 30_000 })
  for (let made = 0; made < 10; made++) await give(openSignedIn(openBrowser))
  await give(openSignedIn(openBrowser), board)
  server.notifySessionsEnded('acc_ada')
  await expect.poll(() => told.length).toBe(5)
  expect(told.filter(({ url }) => url === board.backchannelLogoutUri)).toHaveLength(1)
  for (let answered = 0; answered < 10; answered++) {
    await expect.poll(() => open.length).toBeGreaterThan(0)
    expect(open.length).toBeLessThanOrEqual(4)
    open.shift()?.()
  }
  await server.settled()
  expect(events.filter(({ type }) => type === 'logout.sent')).toHaveLength(11)
})

test('a client with 250 waiting notifications gets no further notifications', async () => {
  const { server, events, openBrowser } = await createToldProvider(() => new Promise(() => {}), {
    logoutTimeoutMs: 100,
  })
  for (let made = 0; made < 256; made++) await give(openSignedIn(openBrowser))
  server.notifySessionsEnded('acc_ada')
  await server.settled()
  const reasons = failures(events).map((event) => ('reason' in event ? event.reason : null))
  expect(reasons.filter((reason) => reason === 'busy')).toHaveLength(2)
  expect(reasons.filter((reason) => reason === 'late')).toHaveLength(254)
})

test('discovery announces back-channel logout with `sid`', async () => {
  const { openBrowser } = await createToldProvider()
  const document = await (await openBrowser().get('/.well-known/openid-configuration')).json()
  expect(document).toMatchObject({ backchannel_logout_supported: true, backchannel_logout_session_supported: true })
})

describe('at a server with TLS', () => {
  const plain = { ...desk, backchannelLogoutUri: 'http://127.0.0.1:4002/logout' }

  test('a client in code with a logout address without TLS is refused at creation', async () => {
    await expect(createToldProvider(undefined, { fixedClients: [plain] })).rejects.toThrow(/back-channel logout/)
  })

  test('a stored client with a logout address without TLS is not called', async () => {
    const { told, events, end } = await endOfStored({ backchannelLogoutUri: plain.backchannelLogoutUri })
    await end()
    expect(told).toEqual([])
    expect(failures(events)).toMatchObject([{ reason: 'address' }])
  })
})

test('a disabled client is not notified', async () => {
  const { told, events, end, disable } = await endOfStored({
    backchannelLogoutUri: 'https://stored.example.com/logout',
  })
  await disable()
  await end()
  expect([...told, ...failures(events)]).toEqual([])
})

/** A session of which a stored client has an id token. */
async function endOfStored({ backchannelLogoutUri }: { readonly backchannelLogoutUri: string }) {
  const documents = createMemoryDocumentStore()
  const { redirectUris = [], scopes = [] } = desk
  const authentication = ['client_secret_post'] as const
  const registry = createClientRegistry({ documents })
  const input = { name: 'Stored', authentication, redirectUris, scopes, backchannelLogoutUri }
  const { client, secret } = await registry.create(input)
  const provider = await createToldProvider(undefined, { documents })
  const browser = provider.openBrowser()
  const { key } = browser.signIn()
  await give(browser, { ...desk, id: client.id, secret: secret ?? '' })
  return {
    ...provider,
    disable: () => registry.disable(client.id),
    async end() {
      await provider.server.endSession('acc_ada', key)
      await provider.server.settled()
    },
  }
}

function openSignedIn(openBrowser: Awaited<ReturnType<typeof createToldProvider>>['openBrowser']) {
  const browser = openBrowser()
  browser.signIn()
  return browser
}
