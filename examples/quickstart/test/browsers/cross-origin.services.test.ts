import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nodeStart, type Quickstart, startQuickstart } from '../support/start-quickstart.ts'
import { createVisitor, seedPassword } from '../support/visitor.ts'
import { launchBrowser, reason, timeout } from './launch-browser.ts'

describe('a page of another origin', { timeout: 3 * timeout }, () => {
  const pages = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8').end('<!doctype html><title>Another service</title>')
  })
  let listed = ''
  let unlisted = ''
  let service: Quickstart
  let browser: Browser | null = null

  beforeAll(async () => {
    await once(pages.listen(0, '127.0.0.1'), 'listening')
    const { port } = pages.address() as AddressInfo
    // To a browser these are other sites than 127.0.0.1, where the service is; all of them are this machine.
    listed = `http://localhost:${port}`
    unlisted = `http://other.localhost:${port}`
    service = await startQuickstart({ CORS_ORIGINS: `${listed},http://127.0.0.1:${port}` }, nodeStart)
    browser = await launchBrowser()
  }, 2 * timeout)
  afterAll(async () => {
    await browser?.close()
    await service?.stop()
    pages.closeAllConnections()
    pages.close()
  })

  const tokenOf = async (email: string): Promise<string> => {
    const visitor = createVisitor(service.url)
    await visitor.signIn(email, 'TOKEN')
    return visitor.bearer ?? ''
  }

  /** Asks from within the page, as a script of it. */
  const askFrom = (page: Page, query: string, init: { bearer?: string; credentials?: RequestCredentials } = {}) =>
    page.evaluate(
      ([url, body, { bearer, credentials = 'omit' }]) =>
        fetch(url, {
          method: 'POST',
          credentials,
          headers: { 'content-type': 'application/json', ...(bearer && { authorization: `Bearer ${bearer}` }) },
          body,
        }).then(
          async (response) => {
            const challenge = response.headers.get('www-authenticate')
            return `${response.status} ${challenge ?? ''} ${await response.text()}`
          },
          () => 'blocked',
        ),
      [`${service.url}/graphql`, JSON.stringify({ query }), init] as const,
    )

  test('reads and changes with a bearer when CORS_ORIGINS lists it, and reads why it was refused', async ({ skip }) => {
    if (!browser) return skip(reason)
    const page = await browser.newPage()
    await page.goto(listed)
    const bearer = await tokenOf('author@example.com')
    expect(await askFrom(page, '{ viewer { name } }', { bearer })).toMatch(/^200 .*Ada Author/)
    const create = 'mutation { createArticle(input: { title: "From elsewhere", body: "Words." }) { title } }'
    expect(await askFrom(page, create, { bearer })).toMatch(/^200 .*From elsewhere/)
    expect(await askFrom(page, '{ viewer { name } }')).toMatch(/^401 Bearer realm="graphql", .*UNAUTHENTICATED/)
    await page.close()
  })

  test('an unlisted page reads no response, even with a right bearer token', async ({ skip }) => {
    if (!browser) return skip(reason)
    const page = await browser.newPage()
    await page.goto(unlisted)
    const bearer = await tokenOf('author@example.com')
    expect(await askFrom(page, '{ viewer { name } }', { bearer })).toBe('blocked')
    await page.close()
  })

  test("a page of another origin gets no data for the browser's cookie, listed or not, also on the same site", async ({
    skip,
  }) => {
    if (!browser) return skip(reason)
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(service.url)
    const signIn = `mutation { signIn(input: { email: "author@example.com", password: "${seedPassword}" }) { status } }`
    expect(await askFrom(page, signIn, { credentials: 'include' })).toContain('SIGNED_IN')
    expect(await askFrom(page, '{ viewer { name } }', { credentials: 'include' })).toContain('Ada Author')
    const forge = 'mutation { createArticle(input: { title: "Forged", body: "Words." }) { id } }'
    for (const origin of [listed, listed.replace('localhost', '127.0.0.1'), unlisted]) {
      await page.goto(origin)
      for (const query of [forge, '{ viewer { name } }']) {
        expect(await askFrom(page, query, { credentials: 'include' })).toBe('blocked')
      }
    }
    const { data } = await createVisitor(service.url).ask('{ articles(first: 100) { title } }')
    expect(JSON.stringify(data)).not.toContain('Forged')
    await context.close()
  })

  test('a page of another origin with a cookie and without Fetch Metadata is refused, listed or not', async () => {
    const visitor = createVisitor(service.url)
    await visitor.signIn('author@example.com', 'SESSION')
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    for (const origin of [listed, unlisted]) {
      const answer = await exchange(service.url, { origin, cookie, 'x-csrf-token': visitor.csrfToken ?? '' })
      expect(answer).toMatch(/^HTTP\/1.1 403 /)
      expect(answer).toContain('"CSRF_REJECTED"')
      expect(answer).not.toMatch(/^access-control-allow-credentials:/im)
    }
  })
})

/** Sends exactly these headers: a browser of today always sends Fetch Metadata. */
async function exchange(url: string, headers: Readonly<Record<string, string>>): Promise<string> {
  const { hostname, port, host } = new URL(url)
  const body = JSON.stringify({ query: '{ viewer { name } }' })
  const fixed = { host, connection: 'close', 'content-type': 'application/json', 'content-length': String(body.length) }
  const lines = Object.entries({ ...fixed, ...headers }).map(([name, value]) => `${name}: ${value}`)
  const socket = connect(Number(port), hostname)
  let heard = ''
  socket.setEncoding('utf8').on('data', (chunk) => {
    heard += chunk
  })
  socket.write(['POST /graphql HTTP/1.1', ...lines, '', body].join('\r\n'))
  await once(socket, 'close')
  return heard
}
