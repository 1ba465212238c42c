import { unknownAttempt } from '@latchkey/accounts'
import { listen } from '@latchkey/server/node'
import { createMemoryBroadcast } from '@latchkey/store'
import { createClient } from 'graphql-ws'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import WebSocket from 'ws'
import { ownPage } from '../support/visitor.ts'
import { createOAuthBench, desk, type OAuthBench, spa } from './support/oauth-bench.ts'
import { createProofMaker } from './support/proofs.ts'

const typeDefs = `
  extend type Account { greeting: String! @public }
  type Query { hello: String! @public, secretPlan: String! @public }
  type Mutation { writeNote(text: String!): String! @requires(permissions: "notes:write") }
  type Subscription { noted: String! @requires(permissions: "notes:write"), own: String! @authenticated }`
const broadcast = createMemoryBroadcast()
const subscribe = () => broadcast.listen('notes')
const resolve = (text: string) => text
const resolvers = {
  Query: { hello: () => 'Hello', secretPlan: () => '' },
  Mutation: { writeNote: () => '' },
  Account: { greeting: () => '' },
  Subscription: { noted: { subscribe, resolve }, own: { subscribe, resolve } },
}
const patience = { timeout: 30_000, interval: 10 }
const key = createProofMaker()
const scope = 'openid notes:write offline_access'

/** How often it was looked up whether a client's consent goes on. */
let checks = 0

function open(options: { readonly baseUrl?: string } = {}): OAuthBench {
  return createOAuthBench({
    options: { ...options, typeDefs, resolvers, graphql: { streamLimits: { recheckMs: 100 } } },
    around: async (call, run) => {
      if (call === 'documents.get') checks++
      return run()
    },
  })
}

async function stream({ server }: OAuthBench, headers: Record<string, string>, field = 'noted') {
  const response = await server.fetch(
    new Request('https://example.com/graphql/stream', {
      method: 'POST',
      headers: { accept: 'text/event-stream', 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query: `subscription { ${field} }` }),
    }),
  )
  const heard = { status: response.status, headers: response.headers, text: '', isOver: false }
  void (async () => {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) heard.text += chunk
    heard.isOver = true
  })()
  await vi.waitFor(() => expect(heard.text).not.toBe(''), patience)
  return heard
}

/** The checks are made by the clock of the service. */
async function untilOver(bench: OAuthBench, heard: { readonly isOver: boolean }): Promise<void> {
  await vi.waitFor(() => {
    bench.advance(0.2)
    expect(heard.isOver).toBe(true)
  }, patience)
}

async function giveBound(bench: OAuthBench) {
  const owner = await bench.signedIn('AUTHOR')
  const proof = key.prove({ method: 'POST', url: 'https://example.com/token', at: bench.clock.time })
  const { access_token: token } = await bench.give(owner, { client: desk, scope, proof })
  const prove = (url = 'https://example.com/graphql/stream') =>
    key.prove({ method: 'POST', url, at: bench.clock.time, token })
  return { owner, token, prove }
}

describe('a stream of a client', () => {
  test('opens if the scopes allow it, and closes when the consent is revoked', async () => {
    const bench = open()
    const owner = await bench.signedIn('AUTHOR')
    const { access_token: token } = await bench.give(owner, { client: desk, scope })
    const heard = await stream(bench, { authorization: `Bearer ${token}` })
    await vi.waitFor(async () => {
      await broadcast.publish('notes', 'first')
      expect(heard.text).toContain('first')
    }, patience)
    const [{ id }] = (await owner.ask('{ grants { id } }')).data.grants
    await owner.ask(`mutation { revokeGrant(id: "${id}") }`, {}, ownPage)
    await untilOver(bench, heard)
    expect(heard.text).toContain('UNAUTHENTICATED')
  })

  test('is refused without its scope, and the refusal names the metadata', async () => {
    const bench = open()
    const owner = await bench.signedIn('AUTHOR')
    const { access_token: token } = await bench.give(owner, { client: desk, scope: 'openid' })
    const refused = await stream(bench, { authorization: `Bearer ${token}` })
    const challenge = refused.headers.get('www-authenticate')
    for (const scheme of ['Bearer realm="graphql",', 'DPoP']) {
      expect(challenge).toContain(`${scheme} error="insufficient_scope", scope="notes:write"`)
    }
    expect(JSON.parse(refused.text).errors).toMatchObject([
      { extensions: { code: 'FORBIDDEN', challenge: 'insufficient_scope', scopes: ['notes:write'] } },
    ])
    expect((await stream(bench, { authorization: `Bearer ${token}` }, 'own')).text).toContain('FORBIDDEN')
    expect((await stream(bench, { authorization: 'Bearer x' })).text).toContain('UNAUTHENTICATED')
  })

  test('needs a single proof for a token with a key, and closes with its family', async () => {
    const bench = open()
    const { owner, token, prove } = await giveBound(bench)
    const authorization = `DPoP ${token}`
    expect((await stream(bench, { authorization, dpop: prove('https://example.com/graphql') })).text).toContain(
      'UNAUTHENTICATED',
    )
    const heard = await stream(bench, { authorization, dpop: prove() })
    const before = checks
    await vi.waitFor(() => {
      bench.advance(0.2)
      expect(checks - before).toBeGreaterThan(3)
    }, patience)
    await broadcast.publish('notes', 'still there')
    await vi.waitFor(() => expect(heard.text).toContain('still there'), patience)
    await owner.ask('mutation { revokeAllSessions }', {}, ownPage)
    await untilOver(bench, heard)
  })

  test('closes when its client is disabled', async () => {
    const bench = open()
    const { createClientRegistry } = await import('@latchkey/oauth/server')
    const registry = createClientRegistry({ documents: bench.stores.documents })
    const { client } = await registry.create({
      id: 'late',
      name: 'Late',
      authentication: ['none'],
      redirectUris: ['https://late.example.org/callback'],
      scopes: ['notes:write'],
    })
    const { access_token: token } = await bench.give(await bench.signedIn('AUTHOR'), {
      client: { ...spa, id: client.id, redirectUris: ['https://late.example.org/callback'] },
      scope: 'notes:write',
    })
    const heard = await stream(bench, { authorization: `Bearer ${token}` })
    await registry.disable('late')
    await untilOver(bench, heard)
  })

  test('closes when its token expires', async () => {
    const bench = open()
    const owner = await bench.signedIn('AUTHOR')
    const { access_token: token } = await bench.give(owner, { client: desk, scope })
    const heard = await stream(bench, { authorization: `Bearer ${token}` })
    bench.advance(906)
    await untilOver(bench, heard)
  })
})

interface SocketScene {
  readonly bench: OAuthBench
  /** Subscribes over a socket of its own, and collects what it hears. */
  readonly subscribeWith: (connectionParams: Record<string, string>) => unknown[]
}

async function openSockets(): Promise<SocketScene> {
  const created: { bench?: OAuthBench } = {}
  const listener = await listen(
    ({ port }) => {
      created.bench = open({ baseUrl: `http://127.0.0.1:${port}` })
      return created.bench.server
    },
    { port: 0, closeOn: [], print: null },
  )
  onTestFinished(() => listener.close())
  if (!created.bench) throw new Error('no service')
  return {
    bench: created.bench,
    subscribeWith(connectionParams) {
      const url = `ws://127.0.0.1:${listener.port}/graphql`
      const client = createClient({ url, webSocketImpl: WebSocket, connectionParams, retryAttempts: 0 })
      onTestFinished(() => client.dispose())
      const heard: unknown[] = []
      const sink = { next: (value: unknown) => heard.push(value), error: (error: unknown) => heard.push(error) }
      client.subscribe({ query: 'subscription { noted }' }, { ...sink, complete: () => undefined })
      return heard
    },
  }
}

async function untilHeard(heard: readonly unknown[]): Promise<void> {
  await vi.waitFor(async () => {
    await broadcast.publish('notes', 'first')
    expect(JSON.stringify(heard)).toContain('first')
  }, patience)
}

describe('a WebSocket of a client', () => {
  test('is refused with the scopes that a subscription needs, with a token that is too narrow and without a token', async () => {
    const { bench, subscribeWith } = await openSockets()
    const owner = await bench.signedIn('AUTHOR')
    const { access_token: token } = await bench.give(owner, { client: desk, scope: 'openid' })
    const narrow = subscribeWith({ authorization: `Bearer ${token}` })
    const nobody = subscribeWith({})
    await vi.waitFor(() => expect([narrow.length, nobody.length]).toEqual([1, 1]), patience)
    const scopes = ['notes:write']
    expect(narrow[0]).toMatchObject([{ extensions: { code: 'FORBIDDEN', challenge: 'insufficient_scope', scopes } }])
    expect(nobody[0]).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED', scopes } }])
  })

  test('opens by its token, and closes with it', async () => {
    const { bench, subscribeWith } = await openSockets()
    const owner = await bench.signedIn('AUTHOR')
    const { access_token: token } = await bench.give(owner, { client: desk, scope })
    const heard = subscribeWith({ authorization: `Bearer ${token}` })
    await untilHeard(heard)
    const accounts = await bench.server.accounts()
    await accounts.disable({ id: owner.account.id, attempt: unknownAttempt })
    await vi.waitFor(() => {
      bench.advance(0.2)
      expect(JSON.stringify(heard)).toContain('UNAUTHENTICATED')
    }, patience)
  })

  test('opens once by a proof and the token that is bound to its key', async () => {
    const { bench, subscribeWith } = await openSockets()
    const owner = await bench.signedIn('AUTHOR')
    const { baseUrl } = bench.server
    const at = bench.clock.time
    const proof = key.prove({ method: 'POST', url: `${baseUrl}/token`, at })
    const { access_token: token } = await bench.give(owner, { client: desk, scope, proof })
    const authorization = `DPoP ${token}`
    const dpop = key.prove({ method: 'GET', url: `${baseUrl}/graphql`, at, token })
    await untilHeard(subscribeWith({ authorization, dpop }))
    for (const refused of [{ authorization }, { authorization, dpop }, { authorization: `Bearer ${token}`, dpop }]) {
      const heard = subscribeWith(refused)
      await vi.waitFor(() => expect(heard).not.toEqual([]), patience)
      expect(JSON.stringify(heard)).not.toContain('first')
    }
  })
})
