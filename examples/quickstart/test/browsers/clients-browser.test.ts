import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createPkcePair } from '@latchkey/oauth'
import { codeAt } from '@latchkey/test-services'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nodeStart, type Quickstart, startQuickstart } from '../support/start-quickstart.ts'
import { seedPassword } from '../support/visitor.ts'
import { launchBrowser, reason, timeout } from './launch-browser.ts'

const { verifier, challenge } = createPkcePair()

let service: Quickstart | null = null
let browser: Browser | null = null
/** Where a native application waits for the answer, at a port that is not registered. */
const application = createServer((_request, response) => response.end('You can go back to the application.'))
beforeAll(async () => {
  browser = await launchBrowser()
  if (!browser) return
  service = await startQuickstart({ DATA_DIR: ':memory:' }, nodeStart)
  await new Promise<void>((resolve) => application.listen(0, '127.0.0.1', resolve))
}, 2 * timeout)
afterAll(async () => {
  await browser?.close()
  application.closeAllConnections()
  application.close()
  await service?.stop()
})

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const callback = () => `http://127.0.0.1:${(application.address() as AddressInfo).port}/callback`

function requestUrl(): string {
  const asked = { client_id: 'demo-native', redirect_uri: callback(), scope: 'openid articles:read', state: 'state-1' }
  const query = { response_type: 'code', ...asked, code_challenge: challenge, code_challenge_method: 'S256' }
  return `${service?.url}/authorize?${new URLSearchParams(query)}`
}

/** What the application is told when the browser has come to it. */
async function answered(page: Page): Promise<Record<string, string>> {
  await page.waitForURL((url) => url.href.startsWith(callback()))
  return Object.fromEntries(new URL(page.url()).searchParams)
}

async function redeem(code = ''): Promise<string> {
  const form = { grant_type: 'authorization_code', client_id: 'demo-native', redirect_uri: callback(), code }
  const body = new URLSearchParams({ ...form, code_verifier: verifier })
  const response = await fetch(`${service?.url}/token`, { method: 'POST', body })
  return ((await response.json()) as { access_token: string }).access_token
}

/** Searches as the reader, for which the scope is needed. */
async function search(token: string): Promise<number> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
  const body = JSON.stringify({ query: '{ search(text: "a") { __typename } }' })
  return (await fetch(`${service?.url}/graphql`, { method: 'POST', headers, body })).status
}

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Email').fill('reader@example.com')
  await page.getByLabel('Password').fill(seedPassword)
  await press(page, 'Sign in')
}

/** Sets an authenticator app up, and returns the recovery codes. */
async function setUpApp(page: Page): Promise<readonly string[]> {
  await page.goto(`${service?.url}/sign-in?return_to=%2Faccount%2Ftotp`)
  await signIn(page)
  await press(page, 'Set up app')
  const secret = ((await page.getByLabel('Setup key').textContent()) ?? '').replaceAll(' ', '')
  await page.getByLabel('Code from your authenticator app').fill(codeAt(secret, Date.now()))
  await press(page, 'Confirm code')
  return ((await page.getByLabel('Recovery codes').textContent()) ?? '').trim().split('\n')
}

describe('an application of others', { timeout: 4 * timeout }, () => {
  test('is signed in to over the second factor and the consent, and loses its access when the reader removes it', async ({
    skip,
  }) => {
    if (!browser) return skip(reason)
    const context = await browser.newContext({ javaScriptEnabled: false })
    context.setDefaultTimeout(timeout)
    const page = await context.newPage()
    const [recoveryCode = ''] = await setUpApp(page)
    await page.goto(`${service?.url}/account`)
    await press(page, 'Sign out')

    await page.goto(requestUrl())
    await page.getByText('Sign in to continue to Demo application.').waitFor()
    await signIn(page)
    await page.getByLabel('Code from your authenticator app').fill(recoveryCode)
    await press(page, 'Continue')
    await page.getByRole('heading', { name: 'Allow access?' }).waitFor()
    await page.getByText('Read articles, and your drafts').waitFor()
    await press(page, 'Allow')
    const answer = await answered(page)
    expect(answer).toMatchObject({ state: 'state-1', iss: service?.url })
    const token = await redeem(answer.code)
    expect(await search(token)).toBe(200)

    await page.goto(`${service?.url}/account`)
    await page.getByRole('button', { name: 'Remove access Demo application' }).click()
    await page.getByRole('heading', { name: 'Apps with access' }).waitFor({ state: 'detached' })
    expect(await search(token)).toBe(401)

    await page.goto(requestUrl())
    await press(page, 'Don’t allow')
    expect(await answered(page)).toMatchObject({ error: 'access_denied', state: 'state-1' })
    await context.close()
  })
})
