import { type AuthClient, createAuthClient } from '@latchkey/client'
import { sseOptions, wsOptions } from '@latchkey/client/subscriptions'
import { listen } from '@latchkey/server/node'
import type { TestServer } from '@latchkey/server/testing'
import { createClient as createSseClient } from 'graphql-sse'
import { createClient as createSocketClient } from 'graphql-ws'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { browserFetch, openService } from './support/open-service.ts'

const patience = { timeout: 10_000, interval: 20 }

async function openListener(): Promise<{ readonly service: TestServer; readonly url: string }> {
  let service: TestServer | undefined
  const create = async ({ port }: { readonly port: number }) => {
    service = (await openService(`http://127.0.0.1:${port}`)).service
    return service.server
  }
  const listener = await listen(create, { port: 0, hostname: '127.0.0.1', closeOn: [], print: null })
  onTestFinished(async () => {
    await listener.close()
    await listener.closed
  })
  if (!service) throw new Error('the service was not created')
  return { service, url: `http://127.0.0.1:${listener.port}/graphql` }
}

async function openSignedIn(delivery: 'session' | 'token') {
  const { service, url } = await openListener()
  const browser = browserFetch(service)
  const asked: string[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    if (request.url.endsWith('/stream')) asked.push(request.url)
    return browser.fetch(request)
  }
  const auth = createAuthClient({ url, fetch, delivery })
  onTestFinished(() => auth.dispose())
  const elsewhere = await service.signedIn({ role: 'READER' })
  const { account, password } = elsewhere
  await auth.signIn({ email: account.email, password })
  return { service, url, auth, asked, password, elsewhere }
}

interface Heard {
  readonly values: unknown[]
  readonly ends: unknown[]
}

/** Subscribes to `ticks`, until the test is over. */
function hear(client: Pick<ReturnType<typeof createSocketClient>, 'subscribe' | 'dispose'>): Heard {
  const heard: Heard = { values: [], ends: [] }
  client.subscribe(
    { query: 'subscription { ticks }' },
    {
      next: (value) => void heard.values.push(value),
      error: (error) => void heard.ends.push(error),
      complete: () => void heard.ends.push('complete'),
    },
  )
  onTestFinished(() => client.dispose())
  return heard
}

async function openSse(delivery: 'session' | 'token') {
  const opened = await openSignedIn(delivery)
  const client = createSseClient(sseOptions(opened.auth, { url: `${opened.url}/stream` }))
  return { ...opened, ...hear(client) }
}

async function openSocket() {
  const opened = await openSignedIn('token')
  const paths: string[] = []
  class Socket extends WebSocket {
    constructor(address: string, protocols: string) {
      super(address, protocols)
      paths.push(address)
    }
  }
  const client = createSocketClient({ ...wsOptions(opened.auth, { url: opened.url }), webSocketImpl: Socket })
  return { ...opened, paths, ...hear(client) }
}

const confirm = (auth: AuthClient, currentPassword: string) =>
  auth.request('mutation($i: ConfirmPasswordInput!) { confirmPassword(input: $i) { status } }', {
    i: { currentPassword },
  })

describe('a stream of graphql-sse', { timeout: 30_000 }, () => {
  test('goes on after a renewal of its session', async () => {
    const { auth, asked, values, ends, password } = await openSse('session')
    await vi.waitFor(() => expect(values.length).toBeGreaterThan(2), patience)
    await confirm(auth, password)
    await vi.waitFor(() => expect(asked.length).toBe(2), patience)
    const before = values.length
    await vi.waitFor(() => expect(values.length).toBeGreaterThan(before + 2), patience)
    expect(values).toEqual(values.map(() => ({ data: { ticks: expect.any(Number) } })))
    expect(ends).toEqual([])
  })

  test('goes on after its access token has expired', async () => {
    const { service, asked, values, ends } = await openSse('token')
    await vi.waitFor(() => expect(values.length).toBeGreaterThan(2), patience)
    await service.clock.advance({ minutes: 20 })
    await vi.waitFor(() => expect(asked.length).toBeGreaterThan(1), patience)
    const before = values.length
    await vi.waitFor(() => expect(values.length).toBeGreaterThan(before + 2), patience)
    expect(ends).toEqual([])
  })

  test('ends with the sign-in: the state says so, and nothing is asked again', async () => {
    const { auth, asked, values, ends, elsewhere } = await openSse('session')
    await vi.waitFor(() => expect(values.length).toBeGreaterThan(2), patience)
    await elsewhere.graphql('mutation { revokeAllSessions }')
    await vi.waitFor(() => expect(ends).toEqual(['complete']), patience)
    await vi.waitFor(() => expect(auth.getState()).toEqual({ status: 'signed-out', reason: 'ended' }), patience)
    expect(values.at(-1)).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] })
    expect(asked.length).toBe(1)
  })

  test('that nobody may open ends in the refusal, without another try', async () => {
    const { auth, url } = await openSignedIn('session')
    await auth.signOut()
    const { values, ends } = hear(createSseClient(sseOptions(auth, { url: `${url}/stream` })))
    await vi.waitFor(() => expect(ends).toEqual(['complete']), patience)
    expect(values).toMatchObject([{ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] }])
  })
})

describe('a socket of graphql-ws', { timeout: 30_000 }, () => {
  test('goes on with a new token after a renewal, and after its token has expired', async () => {
    const { service, auth, paths, values, ends, password } = await openSocket()
    await vi.waitFor(() => expect(values.length).toBeGreaterThan(2), patience)
    await auth.changePassword({ currentPassword: password, newPassword: 'seven kettles hum along' })
    await vi.waitFor(() => expect(paths.length).toBe(2), patience)
    const before = values.length
    await vi.waitFor(() => expect(values.length).toBeGreaterThan(before + 2), patience)
    await service.clock.advance({ minutes: 20 })
    await vi.waitFor(() => expect(paths.length).toBeGreaterThan(2), patience)
    const then = values.length
    await vi.waitFor(() => expect(values.length).toBeGreaterThan(then + 2), patience)
    expect(ends).toEqual([])
  })

  test('ends with the sign-in, and the state says so', async () => {
    const { auth, paths, values, ends, elsewhere } = await openSocket()
    await vi.waitFor(() => expect(values.length).toBeGreaterThan(2), patience)
    await elsewhere.graphql('mutation { revokeAllSessions }')
    await vi.waitFor(() => expect(auth.getState()).toEqual({ status: 'signed-out', reason: 'ended' }), patience)
    await vi.waitFor(() => expect(ends.length).toBe(1), patience)
    expect(paths.length).toBe(1)
  })
})
