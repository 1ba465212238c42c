import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nodeStart, type Quickstart, startQuickstart } from '../support/start-quickstart.ts'
import { createVisitor, seedPassword } from '../support/visitor.ts'
import { launchBrowser, reason, timeout } from './launch-browser.ts'

const signIn = `mutation { signIn(input: { email: "author@example.com", password: "${seedPassword}" }) { status } }`
const comment = (id: string, text: string) =>
  `mutation { addComment(input: { articleId: "${id}", text: "${text}" }) { text } }`
const viewer = '{ viewer { name } }'
const commented = (id: string) => `subscription { commentAdded(articleId: "${id}") { text } }`

interface Asking {
  readonly query: string
  readonly csrfToken?: string
}

/** Asks from within the page, with the cookies of the browser. */
const askFrom = (page: Page, url: string, { query, csrfToken }: Asking) =>
  page.evaluate(
    ([address, body, token]) =>
      fetch(address, {
        method: 'POST',
        credentials: 'include',
        headers: { 'content-type': 'application/json', ...(token && { 'x-csrf-token': token }) },
        body,
      }).then(
        async (response) => ({
          status: response.status,
          csrfToken: response.headers.get('x-csrf-token') ?? '',
          text: await response.text(),
        }),
        () => ({ status: 0, csrfToken: '', text: 'blocked' }),
      ),
    [`${url}/graphql`, JSON.stringify({ query }), csrfToken] as const,
  )

/** Opens a stream and a socket with the cookies, and collects in the page what they receive. */
const listenFrom = (page: Page, url: string, query: string) =>
  page.evaluate(
    ([address, text]) => {
      const heard: string[] = []
      Object.assign(globalThis, { heard })
      const events = new EventSource(`${address}/graphql/stream?query=${encodeURIComponent(text)}`, {
        withCredentials: true,
      })
      events.addEventListener('open', () => heard.push('sse open'))
      events.addEventListener('next', ({ data }) => heard.push(`sse ${data}`))
      events.addEventListener('error', () => heard.push('sse refused'))
      const socket = new WebSocket(`${address.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
      socket.addEventListener('open', () => socket.send('{"type":"connection_init"}'))
      socket.addEventListener('error', () => heard.push('ws refused'))
      socket.addEventListener('message', ({ data }) => {
        heard.push(`ws ${data}`)
        const message = { id: '1', type: 'subscribe', payload: { query: text } }
        if (data.includes('connection_ack')) socket.send(JSON.stringify(message))
      })
    },
    [url, query] as const,
  )

const hears = (page: Page, ...parts: readonly string[]) =>
  page.waitForFunction(
    (all) => {
      const text = (globalThis as unknown as { heard: string[] }).heard.join('\n')
      return all.every((part) => text.includes(part))
    },
    parts,
    { timeout },
  )

describe('a page of ALLOWED_ORIGINS at another port', { timeout: 3 * timeout }, () => {
  const servers: Server[] = []
  /** At other ports of the same host, which browsers take for the same site. */
  async function servePages(): Promise<string> {
    const server = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8').end('<!doctype html><title>A page</title>')
    })
    servers.push(server)
    await once(server.listen(0, '127.0.0.1'), 'listening')
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  let own = ''
  let unlisted = ''
  let service: Quickstart
  let browser: Browser | null = null
  let context: BrowserContext | null = null

  beforeAll(async () => {
    browser = await launchBrowser()
    if (!browser) return
    own = await servePages()
    unlisted = await servePages()
    service = await startQuickstart({ ALLOWED_ORIGINS: own, DATA_DIR: ':memory:' }, nodeStart)
    context = await browser.newContext()
  }, 2 * timeout)
  afterAll(async () => {
    await browser?.close()
    await service?.stop()
    for (const server of servers) {
      server.closeAllConnections()
      server.close()
    }
  })

  test('signs in, queries, mutates and subscribes with cookies, and a page of an unlisted port cannot', async ({
    skip,
  }) => {
    if (!context) return skip(reason)
    const page = await context.newPage()
    await page.goto(own)
    const signedIn = await askFrom(page, service.url, { query: signIn })
    expect([signedIn.status, signedIn.text]).toEqual([200, expect.stringContaining('SIGNED_IN')])
    expect((await askFrom(page, service.url, { query: viewer })).text).toContain('Ada Author')

    const { text: listed } = await askFrom(page, service.url, { query: '{ articles { id } }' })
    const id: string = JSON.parse(listed).data.articles[0].id
    await listenFrom(page, service.url, commented(id))
    await hears(page, 'sse open', 'connection_ack')
    const { csrfToken } = signedIn
    expect((await askFrom(page, service.url, { query: comment(id, 'From our port'), csrfToken })).status).toBe(200)
    await hears(page, 'sse {"data":{"commentAdded":{"text":"From our port"}}}')

    const refused = await askFrom(page, service.url, { query: comment(id, 'With the new token'), csrfToken: 'old' })
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('CSRF_REJECTED')])
    const again = { query: comment(id, 'With the new token'), csrfToken: refused.csrfToken }
    expect((await askFrom(page, service.url, again)).status).toBe(200)
    await hears(page, 'ws {"id":"1","type":"next"')

    const sibling = await context.newPage()
    for (const origin of [
      unlisted,
      unlisted.replace('127.0.0.1', 'localhost'),
      own.replace('127.0.0.1', 'localhost'),
    ]) {
      await sibling.goto(origin)
      for (const query of [signIn, viewer, comment(id, 'Forged')]) {
        expect((await askFrom(sibling, service.url, { query, csrfToken })).text).toBe('blocked')
      }
    }
    await sibling.goto(unlisted)
    await listenFrom(sibling, service.url, commented(id))
    await hears(sibling, 'sse refused', 'ws refused')
    const { data } = await createVisitor(service.url).ask('{ articles { comments { text } } }')
    expect(JSON.stringify(data)).toContain('With the new token')
    expect(JSON.stringify(data)).not.toContain('Forged')
  })
})
