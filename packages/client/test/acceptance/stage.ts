import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { createTestServer, type TestServer } from '@latchkey/server/testing'
import { build } from 'esbuild'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, onTestFinished } from 'vitest'
import { createNoteService } from '../support/note-service.ts'

const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'

/** Returns what returns the browser of all tests of a file. Where there is none, they are skipped with the reason. */
export function sharedBrowser(): () => Browser {
  let browser: Browser | undefined
  beforeAll(async () => {
    const args = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu']
    if (existsSync(executablePath)) browser = await chromium.launch({ executablePath, args })
  }, 60_000)
  afterAll(() => browser?.close())
  beforeEach(({ skip }) => {
    if (!browser) skip(`no browser at ${executablePath}: install Debian's chromium, or set CHROMIUM_PATH`)
  })
  return () => {
    if (!browser) throw new Error('the browser is not there')
    return browser
  }
}

/** One request of a page, as it arrived. */
export interface Arrived {
  readonly query: string
  readonly time: number
}

/** What stands before the service: slow, lossy or away, as a test wants it. */
export interface Stage {
  readonly url: string
  readonly service: TestServer
  readonly arrived: Arrived[]
  /** How often mutations have run. */
  readonly writes: { count: number }
  isAway: boolean
  /** Answers in place of the service where it returns a status. */
  busy: (query: string) => { readonly status: number; readonly headers?: Record<string, string> } | null
  /** Whether the answer of a request that the service has decided is lost. */
  loses: (query: string) => boolean
  count(part: string): number
}

const script = bundlePage()

/** A service behind a stage, with pages of its own origin, until the test is over. */
export async function openStage(): Promise<Stage> {
  const http = createHttpServer((request, response) => void play(stage, request, response))
  await once(http.listen(0, '127.0.0.1'), 'listening')
  const url = `http://localhost:${(http.address() as AddressInfo).port}`
  const writes = { count: 0 }
  const service = await createTestServer(createNoteService({ baseUrl: url, writes }))
  const arrived: Arrived[] = []
  const stage: Stage = {
    ...{ url, service, arrived, writes, isAway: false, busy: () => null, loses: () => false },
    count: (part) => arrived.filter(({ query }) => query.includes(part)).length,
  }
  onTestFinished(async () => {
    http.closeAllConnections()
    await new Promise((resolve) => http.close(resolve))
    await service.close()
  })
  return stage
}

async function play(stage: Stage, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  if (incoming.url === '/app.js') return void response.setHeader('content-type', 'text/javascript').end(await script)
  if (incoming.url === '/') {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    return void response.end('<!doctype html><link rel="icon" href="data:,"><script src="/app.js"></script>')
  }
  if (stage.isAway) return void incoming.socket.destroy()
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  const body = Buffer.concat(chunks).toString()
  const query = String(body.startsWith('{') ? JSON.parse(body).query : '')
  stage.arrived.push({ query, time: performance.now() })
  const busy = stage.busy(query)
  if (busy) return void response.writeHead(busy.status, busy.headers).end('{"errors":[]}')
  const headers = new Headers(incoming.headers as Record<string, string>)
  const request = new Request(stage.url + incoming.url, { method: incoming.method ?? 'GET', headers, body })
  const answer = await stage.service.server.fetch(request)
  const bytes = Buffer.from(await answer.arrayBuffer())
  if (stage.loses(query)) return void incoming.socket.destroy()
  for (const [name, value] of answer.headers) if (name !== 'set-cookie') response.setHeader(name, value)
  response.setHeader('set-cookie', answer.headers.getSetCookie())
  response.writeHead(answer.status).end(bytes)
}

async function bundlePage(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('page.ts', import.meta.url))],
    ...{ bundle: true, write: false, format: 'iife', logLevel: 'error' },
    conditions: ['@latchkey/source'],
    define: { 'process.env.NODE_ENV': '"development"' },
  })
  return outputFiles[0]?.text ?? ''
}

/** A browser of its own, until the test is over. */
export async function openContext(browser: Browser): Promise<BrowserContext> {
  const context = await browser.newContext()
  onTestFinished(() => context.close())
  return context
}

/** A page with a client. */
export async function openTab(context: BrowserContext, { url }: Stage, options: object = {}): Promise<Page> {
  const page = await context.newPage()
  await page.goto(url)
  await page.evaluate((given) => {
    const create = Reflect.get(globalThis, 'createAuthClient')
    const auth = create(given)
    auth.subscribe(() => {})
    Object.assign(globalThis, { auth })
  }, options)
  return page
}
