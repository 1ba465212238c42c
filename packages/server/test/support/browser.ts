import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Server } from '@latchkey/server'
import { listen } from '@latchkey/server/node'
import type Axe from 'axe-core'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, onTestFinished } from 'vitest'
import { type AppOptions, type Bench, type BenchOptions, createBench } from './bench.ts'

const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'

/** Why a test in a browser cannot run here; `null`: it can. */
const noBrowser = existsSync(executablePath)
  ? null
  : `no browser at ${executablePath}: install Debian's chromium, or set CHROMIUM_PATH`

/** Half of what the package's main file takes to load, which is most of the time that it takes to look. */
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

declare global {
  var axe: typeof Axe
}

/** For each step: a browser on a busy machine takes its time. */
export const stepMs = 60_000

/** Returns what returns the browser of all tests of a file. Where there is none, they are skipped with the reason. */
export function useBrowser(): () => Browser {
  let browser: Browser | undefined
  beforeAll(async () => {
    if (noBrowser === null) browser = await launchBrowser()
  }, stepMs)
  afterAll(() => browser?.close())
  beforeEach(({ skip }) => {
    if (noBrowser !== null) skip(noBrowser)
  })
  return () => {
    if (!browser) throw new Error('the browser is not there')
    return browser
  }
}

function launchBrowser(): Promise<Browser> {
  const quiet = ['--disable-gpu', '--disable-background-networking', '--disable-component-update']
  const args = ['--no-sandbox', '--disable-dev-shm-usage', ...quiet]
  return chromium.launch({ executablePath, args, timeout: stepMs })
}

export interface Site extends Bench {
  /** `http://localhost` with its port, or another name of this machine. */
  readonly url: string
}

/** A service as a browser reaches it, until the test is over. */
export function openSite(options: AppOptions = {}): Promise<Site> {
  return openSiteAt('localhost', () => ({ options }))
}

/** The same at a name of this machine, for what has to know the address of the service. */
export async function openSiteAt(
  hostname: 'localhost' | '127.0.0.1',
  describe: (url: string) => BenchOptions | Promise<BenchOptions>,
): Promise<Site> {
  let bench: Bench | undefined
  const create = async ({ port }: { readonly port: number }): Promise<Server> => {
    const baseUrl = `http://${hostname}:${port}`
    const { options, ...given } = await describe(baseUrl)
    bench = createBench({ ...given, options: { baseUrl, ...options } })
    return bench.server
  }
  const listener = await listen(create, { hostname: '127.0.0.1', port: 0, closeOn: [], print: null })
  onTestFinished(async () => {
    await listener.close()
    await listener.closed
  })
  if (!bench) throw new Error('the service was not created')
  return { ...bench, url: `http://${hostname}:${listener.port}` }
}

/** A page in a profile of its own, until the test is over. It fails the test when the page breaks its own policy. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext(options)
  context.setDefaultTimeout(stepMs)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    // A refused form is an answer, and no mistake of the page.
    const isStatus = /Failed to load resource: the server responded with a status of 4\d\d/.test(message.text())
    if (message.type() === 'error' && !isStatus) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  onTestFinished(async () => {
    await context.close()
    if (complaints.length > 0) throw new Error(`the browser complained: ${complaints.join('\n')}`)
  })
  return page
}

/** Returns what axe-core finds, in light, and in dark at the width of a phone: nothing, when all is well. */
export async function findBarriers(page: Page): Promise<string[]> {
  const found = new Set<string>()
  const size = page.viewportSize() ?? { width: 1280, height: 720 }
  await page.evaluate(axeSource)
  for (const [colorScheme, width] of [
    ['light', size.width],
    ['dark', 320],
  ] as const) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: size.height })
    const { violations, overflow } = await page.evaluate(async () => ({
      violations: (await globalThis.axe.run()).violations,
      overflow: document.documentElement.scrollWidth > document.documentElement.clientWidth,
    }))
    for (const { id, nodes } of violations) for (const { html } of nodes) found.add(`${colorScheme}: ${id}: ${html}`)
    if (overflow) found.add(`${width}: wider than the screen`)
  }
  await page.setViewportSize(size)
  return [...found]
}
