import { readFileSync } from 'node:fs'
import { createAuthorizationServer } from '@latchkey/oauth/server'
import type { AuthorizationParts, Server } from '@latchkey/server'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createBench, createMemoryStores, withoutReservations } from '../support/bench.ts'
import { createProviderBench } from '../support/providers/provider-bench.ts'
import { pageNeeds } from './page-paths.ts'

/** The whole text of a file, by its path from here. */
const textOf = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')

const pages = [...pageNeeds.keys()]
let ofAuthorizationServer: readonly string[] = []
const graphiql = ['react.js', 'react-dom.js', 'graphiql.js', 'graphiql.css', 'graphql-sse.js']
const development = ['/', '/graphiql', ...graphiql.map((file) => `/graphiql/${file}`)]
const always = ['/graphql', '/graphql/stream', '/jwks', '/healthz', '/readyz']
const ofTools = ['/mcp']

const fewStores = withoutReservations(createMemoryStores(() => 1_800_000_000_000))
const everything = {
  signIn: { emailCode: {} },
  accounts: {
    deletion: { onDelete: async () => {} },
    impersonation: {},
    apiKeys: { prefix: 'lk_', scopes: ['notes:write'] },
  },
  oauth(parts: AuthorizationParts) {
    const authorizationServer = createAuthorizationServer(parts)
    ofAuthorizationServer = authorizationServer.paths
    return authorizationServer
  },
  mcp: () => ({ verdicts: [], respond: async () => ({ status: 405, headers: [], body: null }) }),
}
const services = {
  'with the least': createBench({ options: { signUp: 'closed', stores: fewStores } }).server,
  'with the defaults': createBench().server,
  'with everything': createProviderBench({ options: everything }).server,
  'with pages for development, and a path of its own': createBench({
    options: {
      baseUrl: 'http://127.0.0.1:4000',
      graphql: { path: '/api/graphql' },
      pages: { development: { readFile: async (file) => (file === 'react.js' ? null : new Uint8Array()) } },
    },
  }).server,
} satisfies Record<string, Server>

const whole = services['with everything']
await whole.open()
const clientPaths = ofAuthorizationServer.filter((path) => path !== '/jwks')
const inDevelopment = services['with pages for development, and a path of its own']

/** What the service answers where there is nothing. */
async function nothingOf(server: Server): Promise<string> {
  return (await server.fetch(new Request(`${server.baseUrl}/no/such/place`))).text()
}

/** What the service answers to a target as it was sent. A method that no route has tells apart what is there and what is not. */
async function isAnswered(server: Server, target: string, method = 'PATCH'): Promise<boolean> {
  const { status, body } = await server.handle({
    method,
    target,
    authority: null,
    headers: new Map([['host', new URL(server.baseUrl).host]]),
    cookies: new Map(),
    peerAddress: null,
    signal: new AbortController().signal,
    body: async () => '',
  })
  return status !== 404 || body !== (await nothingOf(server))
}

const named = [...pages, ...clientPaths, ...development, ...always, ...ofTools, '/api/graphql', '/.well-known/webauthn']
const target = fc
  .tuple(
    fc.oneof(
      { weight: 4, arbitrary: fc.constant('') },
      fc.constantFrom('/', '/api', 'http://x.example', 'HTTPS://x:1', '?', '//x'),
    ),
    fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...named) }, fc.webPath()),
    fc.constantFrom('one', 'one', 'two', 'three', '', ':name', 'ONE', 'o%6ee', 'one/one'),
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom('', '?x=/y', '?') },
      fc.constantFrom('/', '/x', '#x', '%2f', ';x', '/stream', ' '),
    ),
    fc.constantFrom(1, 1, 1, 1, 1, 0.5, 2),
  )
  .map(([before, path, name, after, part]) => {
    const written = path.replace(':name', name)
    const cut = part === 2 ? written.toUpperCase() : written.slice(0, Math.ceil(written.length * part))
    return `${before}${cut}${after}`
  })

describe('server.serves', () => {
  test.each(Object.entries(services))('is true exactly for answered targets of a service %s', async (_what, server) => {
    const seen = { true: 0, false: 0 }
    await fc.assert(
      fc.asyncProperty(target, async (one) => {
        const isServed = server.serves(one)
        seen[`${isServed}`]++
        expect(await isAnswered(server, one)).toBe(isServed)
      }),
      { numRuns: 1000 },
    )
    expect(Math.min(seen.true, seen.false)).toBeGreaterThan(50)
  })

  const everywhere = [...pages.map((path) => path.replace(':name', 'one')), ...clientPaths, ...always, ...ofTools]
  test.each([...everywhere, '/.well-known/webauthn'])('is true for %s of a service with everything', async (path) => {
    expect(pages.length).toBeGreaterThan(40)
    expect([whole.serves(path), whole.serves(`${path}?token=x`)]).toEqual([true, true])
    expect([whole.serves(`${path}/`), whole.serves(path.toUpperCase())]).toEqual([false, false])
  })

  test('follows the options: pages that they do not offer, and clients, are not served', async () => {
    const least = services['with the least']
    const offered = [...pages, ...clientPaths].filter((path) => least.serves(path.replace(':name', 'one')))
    expect(offered.toSorted()).toEqual([
      ...['/account', '/account/export', '/account/name', '/account/password', '/account/recovery-codes'],
      ...['/confirm-password', '/devices', '/devices/end', '/devices/end-others', '/reset', '/second-factor'],
      ...['/sign-in', '/sign-out', '/step-up', '/verify'],
    ])
    expect(services['with the defaults'].serves('/undo-email-change')).toBe(true)
  })

  test('knows the names of providers, and no other', () => {
    const paths = ['/sign-in/with/two/callback', '/sign-in/with/three/callback', '/sign-in/with/:name/callback']
    expect(paths.map((path) => whole.serves(path))).toEqual([true, false, false])
  })

  test('is true for pages for development if they are given, and for the endpoint at its path', () => {
    expect(development.filter((path) => inDevelopment.serves(path))).toEqual(development)
    expect(development.filter((path) => whole.serves(path))).toEqual([])
    const paths = ['/api/graphql', '/api/graphql/stream', '/graphql', '/graphql/stream']
    expect(paths.map((path) => inDevelopment.serves(path))).toEqual([true, true, false, false])
  })

  test('accepts the absolute form of a target, and rejects a target that is no path', () => {
    const targets = ['https://example.com/reset?x', 'http://example.com', '*', '', 'reset', 'example.com:443']
    expect(targets.map((one) => whole.serves(one))).toEqual([true, false, false, false, false, false])
    expect(inDevelopment.serves('http://127.0.0.1:4000')).toBe(true)
  })

  test('needs no open service, secret or store', () => {
    const refuse = () => Promise.reject(new Error('it was opened'))
    const { server } = createBench({ options: { secrets: { load: refuse } } })
    expect(server.serves('/sign-in')).toBe(true)
  })
})

describe('the list of every path in the documentation', () => {
  const [, list = ''] = textOf('../../../../docs/pages.md').split('## Every path\n')
  const rows = [...list.matchAll(/^\| (.+?) *\| (`\/.*) \|$/gm)].map(
    ([, offered = '', paths = '']): [string, string[]] => [
      offered,
      [...paths.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path.replace('<name>', ':name')),
    ],
  )
  const listed = rows.flatMap(([, paths]) => paths)

  test('has each path once: pages, clients, documents and development', () => {
    const there = [...pages, ...clientPaths, ...development, ...always, ...ofTools, '/.well-known/webauthn']
    expect(listed.toSorted()).toEqual(there.toSorted())
    expect(ofAuthorizationServer.length).toBeGreaterThan(9)
  })

  test('names the condition of each page', () => {
    const words: Readonly<Record<string, string>> = {
      email: '`stores.accounts.reservations`, or `accounts: { emailUndoDays: 0 }`',
      always: 'always',
      emailCode: '`signIn.emailCode`',
      providers: '`signIn.providers`',
      totp: '`signIn.totp`',
      passkeys: '`signIn.passkeys`',
      deletion: '`accounts.deletion`',
      impersonation: '`accounts.impersonation`',
      apiKeys: '`accounts.apiKeys`',
    }
    const told = rows.flatMap(([offered, paths]) => paths.map((path) => [path, offered] as const))
    const expected = [...pageNeeds].map(([path, need]) => [path, words[need] ?? `\`${need}\``])
    expect(told.filter(([path]) => pageNeeds.has(path)).toSorted()).toEqual(expected.toSorted())
  })
})
