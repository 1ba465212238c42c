import { existsSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { addSecondFactor, codeIn, withoutApp } from './second-factor-app.ts'
import { emailOf, password, type Started, startApp } from './start-guide.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
const noBrowser = existsSync(executablePath) ? null : `no browser at ${executablePath}: set CHROMIUM_PATH`

let app: Started
let browser: Browser | undefined
beforeAll(async () => {
  if (noBrowser !== null) return
  app = await startApp(addSecondFactor)
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
})
afterAll(() => Promise.all([browser?.close(), app?.stop()]))
beforeEach(({ skip }) => {
  if (noBrowser !== null) skip(noBrowser)
})

async function openPage(): Promise<Page> {
  const page = await browser?.newPage()
  if (!page) throw new Error('the browser is not there')
  page.setDefaultTimeout(60_000)
  return page
}

async function signIn(page: Page, name: string): Promise<void> {
  await page.getByLabel('Email').fill(emailOf(name))
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

test('a browser signs in with password and code, reloads the page, and signs out', async () => {
  const page = await openPage()
  await page.goto(app.origin)
  await signIn(page, 'ada')
  await page.getByLabel('Code').fill(codeIn())
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('signed in as ada').waitFor()
  expect(new URL(page.url()).pathname).toBe('/')
  await page.reload()
  await page.getByText('signed in as ada').waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('Email').waitFor()
  await page.goto(app.origin)
  expect(new URL(page.url()).pathname).toBe('/sign-in')
})

test('a sign-in form of another origin is Forbidden, and its visitor stays signed out', async () => {
  const page = await openPage()
  const foreign = app.origin.replace('127.0.0.1', 'localhost')
  await page.route(`${foreign}/`, (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<form method="post" action="${app.origin}/sign-in"><input name="email" value="${emailOf(withoutApp)}">
<input name="password" value="${password}"><button>Win</button></form>`,
    }),
  )
  await page.goto(`${foreign}/`)
  await page.getByRole('button', { name: 'Win' }).click()
  await page.getByText('Forbidden').waitFor()
  await page.goto(app.origin)
  expect(new URL(page.url()).pathname).toBe('/sign-in')
  await signIn(page, withoutApp)
  await page.getByText(`signed in as ${withoutApp}`).waitFor()
})
