import { type AuthClient, type AuthClientOptions, createAuthClient } from '@latchkey/client'
import { listen } from '@latchkey/server/node'
import { createTestServer, type TestServer } from '@latchkey/server/testing'
import { createMemoryBroadcast } from '@latchkey/store'
import { onTestFinished } from 'vitest'
import { createNoteService } from '../support/note-service.ts'

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
      test = await createTestServer(
        createNoteService({
          baseUrl: `http://127.0.0.1:${port}`,
          ...{ writes, broadcast },
          graphql: { streamLimits: { recheckMs: 100 } },
        }),
      )
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

/** A browser with cookies, in which somebody is signed in. */
export interface RealBrowser {
  readonly auth: AuthClient
  readonly account: { readonly id: string; readonly email: string; readonly name: string }
  readonly password: string
  cookie(): string
  /** Sends a request with the cookies of the browser, as a page of the service does. */
  readonly fetch: typeof fetch
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
  return { auth, password, cookie, fetch: fetchWithCookies, account: { ...account, email: account.email ?? '' } }
}
