import { createMemoryAccountStore } from '@latchkey/accounts'
import { type AuthClient, type AuthClientOptions, createAuthClient } from '@latchkey/client'
import { definePolicy } from '@latchkey/rbac'
import { createServer } from '@latchkey/server'
import { listen } from '@latchkey/server/node'
import { createTestServer, type TestServer } from '@latchkey/server/testing'
import {
  createMemoryBroadcast,
  createMemoryCounterStore,
  createMemoryDocumentStore,
  createMemoryRecordStore,
} from '@latchkey/store'
import { onTestFinished } from 'vitest'

/** A service on a socket of its own. */
export interface RealService {
  readonly test: TestServer
  readonly origin: string
  readonly url: string
  /** How often mutations have run. */
  readonly writes: { count: number }
  /** Sends an event to all streams. */
  publish(text: string): Promise<void>
}

/** Opens a service, until the test is over. */
export async function openService(): Promise<RealService> {
  const broadcast = createMemoryBroadcast()
  const writes = { count: 0 }
  let test: TestServer | undefined
  const listener = await listen(
    async ({ port }) => {
      test = await createTestServer(createService(`http://127.0.0.1:${port}`, writes, broadcast))
      return test.server
    },
    { port: 0, closeOn: [], print: null, drainMs: 0 },
  )
  onTestFinished(async () => {
    await listener.close()
    await test?.close()
  })
  if (!test) throw new Error('the service is not there')
  const origin = `http://127.0.0.1:${listener.port}`
  return { test, origin, url: `${origin}/graphql`, writes, publish: (text) => broadcast.publish('notes', text) }
}

function createService(
  baseUrl: string,
  writes: { count: number },
  broadcast: ReturnType<typeof createMemoryBroadcast>,
) {
  return createServer({
    baseUrl,
    secrets: { load: async () => [{ id: 'a', bytes: new Uint8Array(32) }] },
    stores: {
      accounts: createMemoryAccountStore(),
      records: createMemoryRecordStore(),
      counters: createMemoryCounterStore(),
      documents: createMemoryDocumentStore(),
    },
    mails: { mailer: { send: async () => {} } },
    signUp: { role: 'READER' },
    policy: definePolicy({ permissions: ['notes:write'], roles: { READER: { permissions: ['notes:write'] } } }),
    graphql: { streamLimits: { recheckMs: 100 } },
    typeDefs: `
      type Query { secret: String! @authenticated }
      type Mutation { write: Int! @requires(permissions: "notes:write") }
      type Subscription { noted: String! @requires(permissions: "notes:write") }`,
    resolvers: {
      Query: { secret: () => 'a secret' },
      Mutation: { write: () => ++writes.count },
      Subscription: { noted: { subscribe: () => broadcast.listen('notes'), resolve: (text: string) => text } },
    },
  })
}

/** A browser with cookies, in which somebody is signed in. */
export interface RealBrowser {
  readonly auth: AuthClient
  readonly account: { readonly id: string; readonly email: string; readonly name: string }
  readonly password: string
  cookie(): string
}

/** Signs an account in, in a browser of its own. */
export async function signIn(
  service: RealService,
  delivery: AuthClientOptions['delivery'] = 'session',
  known?: RealBrowser,
): Promise<RealBrowser> {
  const { account, password } = known ?? (await service.test.signedIn({ role: 'READER' }))
  const jar = new Map<string, string>()
  const cookie = () => [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const fetchWithCookies: typeof fetch = async (input, init) => {
    const request = new Request(input, init)
    request.headers.set('origin', service.origin)
    request.headers.set('cookie', cookie())
    const response = await fetch(request)
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') jar.delete(name)
      else jar.set(name, value)
    }
    return response
  }
  const auth = createAuthClient({ url: service.url, fetch: fetchWithCookies, ...(delivery && { delivery }) })
  onTestFinished(() => auth.dispose())
  await auth.signIn({ email: account.email ?? '', password })
  return { auth, password, cookie, account: { ...account, email: account.email ?? '' } }
}
