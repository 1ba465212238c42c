import type { AuthClient } from '@latchkey/client'
import { sseOptions, wsOptions } from '@latchkey/client/subscriptions'
import { createClient as createStreamClient } from 'graphql-sse'
import { createClient as createSocketClient } from 'graphql-ws'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { openService, type RealBrowser, type RealService, signIn } from './real-service.ts'

/** What a subscriber has received, and whether its stream is over. */
interface Heard {
  readonly results: string[]
  isOver: boolean
}
type Listen = (service: RealService, auth: AuthClient) => Heard

const patience = { timeout: 15_000, interval: 20 }

interface Streams {
  subscribe(payload: { readonly query: string }, sink: object): () => void
  dispose(): void | Promise<void>
}

function hear(client: Streams): Heard {
  const heard: Heard = { results: [], isOver: false }
  const end = (): void => {
    heard.isOver = true
  }
  const next = (result: unknown): void => void heard.results.push(JSON.stringify(result))
  const error = (errors: unknown): void => {
    next(errors)
    end()
  }
  client.subscribe({ query: 'subscription { noted }' }, { next, error, complete: end })
  onTestFinished(() => void client.dispose())
  return heard
}

const overEvents: Listen = ({ url }, auth) =>
  hear(createStreamClient(sseOptions(auth, { url: `${url}/stream` })) as Streams)
const overSocket: Listen = ({ url }, auth) => hear(createSocketClient(wsOptions(auth, { url })) as Streams)

async function openStream(listen: Listen) {
  const service = await openService()
  const browser = await signIn(service, 'token')
  const heard = listen(service, browser.auth)
  const reach = (text: string) =>
    vi.waitFor(async () => {
      await service.publish(text)
      expect(heard.results.join()).toContain(text)
    }, patience)
  await reach('early')
  return { service, browser, heard, reach }
}

describe.each([
  ['graphql-sse', overEvents],
  ['graphql-ws', overSocket],
])('a stream of %s', (_name, listen) => {
  test('is reopened after its access token has expired, and no listener of the state is called', async () => {
    const { service, browser, heard, reach } = await openStream(listen)
    await service.test.clock.advance({ minutes: 20 })
    await reach('late')
    expect(heard.results.filter((result) => !result.includes('"noted"'))).toEqual([])
    expect(heard.isOver).toBe(false)
    expect(browser.auth.getState().status).toBe('signed-in')
  })

  test('is reopened after an interruption', async () => {
    const { service, heard, reach } = await openStream(listen)
    service.interrupt()
    await reach('late')
    expect(heard.results.filter((result) => !result.includes('"noted"'))).toEqual([])
    expect(heard.isOver).toBe(false)
  })

  test('completes after a sign-out on another device, and the state is signed-out', async () => {
    // Pages hear of each other; nobody tells this one.
    vi.stubGlobal('BroadcastChannel', undefined)
    onTestFinished(() => void vi.unstubAllGlobals())
    const { service, browser, heard } = await openStream(listen)
    const other = await signIn(service, 'session', browser)
    await other.auth.request('mutation { revokeAllSessions }')
    await vi.waitFor(async () => {
      await service.test.clock.advance({ seconds: 1 })
      expect(heard.isOver).toBe(true)
    }, patience)
    await vi.waitFor(() => expect(browser.auth.getState().status).toBe('signed-out'), patience)
    expect(browser.auth.getState()).toEqual({ status: 'signed-out', reason: 'ended' })
    expect(heard.results.join()).toContain('UNAUTHENTICATED')
  })
})

const overSession: readonly [string, (service: RealService, browser: RealBrowser) => Streams][] = [
  ['graphql-sse', ({ url }, { auth }) => createStreamClient(sseOptions(auth, { url: `${url}/stream` })) as Streams],
  [
    'graphql-ws',
    ({ url, origin }, { auth, cookie }) => {
      class OwnSocket extends WebSocket {
        constructor(address: string, protocols: string) {
          super(address, { protocols, headers: { origin, cookie: cookie() } } as never)
        }
      }
      return createSocketClient({ ...wsOptions(auth, { url }), webSocketImpl: OwnSocket }) as Streams
    },
  ],
]

describe.each(overSession)('a stream of %s over a session', (_name, open) => {
  test('is reopened after a step-up, and no listener of the user is called', async () => {
    const service = await openService()
    const browser = await signIn(service)
    const { auth, password } = browser
    const heard = hear(open(service, browser))
    const reach = (text: string) =>
      vi.waitFor(async () => {
        await service.publish(text)
        expect(heard.results.join()).toContain(text)
      }, patience)
    await reach('early')
    const changes = vi.fn()
    auth.onUserChange(changes)
    auth.onStepUp((request) => void request?.verify({ password }))
    const before = browser.cookie()
    await service.test.clock.advance({ minutes: 6 })
    await auth.request('mutation { publish }')
    expect(browser.cookie()).not.toBe(before)
    await service.test.clock.advance({ seconds: 10 })
    await reach('late')
    expect(heard.results.filter((result) => !result.includes('"noted"'))).toEqual([])
    expect([heard.isOver, changes.mock.calls]).toEqual([false, []])
  })

  test('sends nothing for another user who has signed in beside the page, before the page knows the user', async () => {
    const service = await openService()
    const browser = await signIn(service)
    const { account, password = '' } = await service.test.signedIn({ role: 'READER' })
    const email = account.email ?? ''
    const heard: string[] = []
    browser.auth.onUserChange((user) => heard.push(user?.email ?? ''))
    const body = new URLSearchParams({ email, password })
    await browser.fetch(`${service.origin}/sign-in`, { method: 'POST', body, redirect: 'manual' })
    const client = open(service, browser)
    onTestFinished(() => void client.dispose())
    const next = ({ data }: { readonly data: unknown }) => heard.push(JSON.stringify(data))
    client.subscribe({ query: 'subscription { noted }' }, { next, error: next, complete: () => heard.push('over') })
    await vi.waitFor(async () => {
      await service.publish('late')
      expect(heard.join()).toContain('late')
    }, patience)
    expect(heard[0]).toBe(email)
    expect(browser.auth.getState()).toMatchObject({ status: 'signed-in', user: { id: account.id } })
  })
})
