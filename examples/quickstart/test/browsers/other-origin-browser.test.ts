import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nodeStart, type Quickstart, startQuickstart, temporaryDirectory } from '../support/start-quickstart.ts'
import { seedPassword } from '../support/visitor.ts'
import { launchBrowser, reason, timeout } from './launch-browser.ts'

const example = fileURLToPath(new URL('../../../spa/', import.meta.url))
const types: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.css': 'text/css' }

/** Where the quickstart's client `demo-app` is. */
const origin = 'http://127.0.0.1:4003'

describe('the front end on another origin', { timeout: 3 * timeout }, () => {
  let folder = ''
  let service: Quickstart
  let browser: Browser | null = null
  const pages = createServer(async ({ url = '' }, response) => {
    const type = types[extname(url)]
    const body = await readFile(join(folder, type ? url : 'index.html'))
    response.setHeader('content-type', `${type ?? 'text/html'}; charset=utf-8`).end(body)
  })

  beforeAll(async () => {
    folder = await temporaryDirectory()
    service = await startQuickstart({ CORS_ORIGINS: origin }, nodeStart)
    const { NODE_ENV: _ofTests, ...environment } = process.env
    const vite = join(example, 'node_modules/vite/bin/vite.js')
    const env = { ...environment, VITE_ISSUER: service.url }
    await promisify(execFile)(process.execPath, [vite, 'build', '--mode', 'other-origin', '--outDir', folder], {
      cwd: example,
      env,
    })
    await once(pages.listen(4003, '127.0.0.1'), 'listening')
    browser = await launchBrowser()
  }, 2 * timeout)
  afterAll(async () => {
    await browser?.close()
    await service?.stop()
    pages.closeAllConnections()
    pages.close()
    await rm(folder, { recursive: true })
  })

  test('signs in at the service, stays signed in over a reload, writes, sees the devices and signs out', async ({
    skip,
  }) => {
    if (!browser) return skip(reason)
    const context = await browser.newContext()
    context.setDefaultTimeout(timeout)
    const page = await context.newPage()
    await page.goto(`${origin}/app/devices`)
    await page.getByRole('button', { name: 'Sign in at the service' }).click()
    await page.getByLabel('Email').fill('author@example.com')
    await page.getByLabel('Password').fill(seedPassword)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('This device').waitFor()
    expect(page.url()).toBe(`${origin}/app/devices`)
    await page.reload()
    await page.getByText('This device').waitFor()
    await page.goto(`${origin}/app/write`)
    await page.getByLabel('Title').fill('From another origin')
    await page.getByLabel('Text').fill('Words.')
    await page.getByRole('button', { name: 'Save draft' }).click()
    await page.getByRole('heading', { name: 'From another origin' }).waitFor()
    await page.getByRole('link', { name: 'Ada Author' }).click()
    await page.getByText('They are changed at the service').waitFor()
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.getByRole('button', { name: 'Sign in at the service' }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Sign in at the service' }).waitFor()
    await context.close()
  })
})
