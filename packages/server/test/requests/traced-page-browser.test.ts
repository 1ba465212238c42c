import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openPage, openSite, stepMs, useBrowser } from '../support/browser.ts'

const browser = useBrowser()

/** A page of another origin whose `fetch` Sentry has instrumented, until the test is over. */
async function openTracedPage(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('traced-page.ts', import.meta.url))],
    bundle: true,
    write: false,
    format: 'iife',
    logLevel: 'error',
  })
  const script = outputFiles[0]?.text ?? ''
  const application = createServer((request, response) => {
    if (request.url === '/app.js') return void response.setHeader('content-type', 'text/javascript').end(script)
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end('<!doctype html><link rel="icon" href="data:,"><title>Shop</title><script src="/app.js"></script>')
  })
  await once(application.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(async () => {
    application.closeAllConnections()
    await new Promise((resolve) => application.close(resolve))
  })
  return `http://127.0.0.1:${(application.address() as AddressInfo).port}`
}

/** Asks with a bearer token, and returns the response with the names of the headers that the browser asked leave for. */
async function askTraced(http: { readonly corsAllowedHeaders?: readonly string[] }, headers = {}) {
  const origin = await openTracedPage()
  const site = await openSite({ http: { corsOrigins: [origin], ...http } })
  const { bearer } = await site.signedIn('READER', 'TOKEN')
  const page = await openPage(browser())
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/graphql') && request.method() === 'POST') asked.push(...Object.keys(request.headers()))
  })
  await page.goto(origin)
  const answer = await page.evaluate(
    // @ts-expect-error the page's script has set it
    ([url, given]) => globalThis.ask(url, given) as Promise<string>,
    [`${site.url}/graphql`, { authorization: `Bearer ${bearer}`, ...headers }] as const,
  )
  return { answer, asked }
}

describe('a page of corsOrigins whose requests are traced by Sentry', { timeout: 4 * stepMs }, () => {
  test('reads its answer: the trace headers may be sent', async () => {
    const { answer, asked } = await askTraced({})
    expect(asked).toEqual(expect.arrayContaining(['sentry-trace', 'baggage']))
    expect(answer).toMatch(/^200 .*A Reader/)
  })

  test("sends Datadog's headers if corsAllowedHeaders names them", async () => {
    const datadog = { 'x-datadog-trace-id': '1', 'x-datadog-origin': 'rum' }
    const { answer } = await askTraced({ corsAllowedHeaders: Object.keys(datadog) }, datadog)
    expect(answer).toMatch(/^200 .*A Reader/)
  })
})
