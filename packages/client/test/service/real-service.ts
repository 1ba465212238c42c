import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
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
  /** Cuts all connections. */
  interrupt(): void
}

/** A wire to a port that can be cut, until the test is over. */
async function openWire() {
  const ends = new Set<Socket>()
  let target = 0
  const wire = createServer((near) => {
    const far = connect(target, '127.0.0.1')
    for (const [end, other] of [
      [near, far],
      [far, near],
    ] as const) {
      ends.add(end)
      end.on('error', () => {}).on('close', () => ends.delete(end) && other.destroy())
      end.pipe(other)
    }
  })
  await once(wire.listen(0, '127.0.0.1'), 'listening')
  const cut = () => {
    for (const end of ends) end.destroy()
  }
  onTestFinished(() => {
    cut()
    wire.close()
  })
  const lead = (port: number) => {
    target = port
  }
  return { port: (wire.address() as AddressInfo).port, cut, lead }
}

/** Opens a service, until the test is over. */
export async function openService(): Promise<RealService> {
  const broadcast = createMemoryBroadcast()
  const writes = { count: 0 }
  const wire = await openWire()
  const origin = `http://127.0.0.1:${wire.port}`
  let test: TestServer | undefined
  const listener = await listen(
    async () => {
      test = await createTestServer(
        createNoteService({
          baseUrl: origin,
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
  wire.lead(listener.port)
  const publish = (text: string) => broadcast.publish('notes', text)
  return { test, origin, url: `${origin}/graphql`, writes, publish, interrupt: wire.cut }
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
