import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { OAuthClient } from '@latchkey/client/oauth'
import { listen } from '@latchkey/server/node'
import type { TestServer } from '@latchkey/server/testing'
import { build } from 'esbuild'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { openService } from './open-service.ts'

const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
const stepMs = 60_000

declare const auth: OAuthClient

let browser: Browser | undefined
let script = ''
beforeAll(async () => {
  const args = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu']
  if (existsSync(executablePath)) browser = await chromium.launch({ executablePath, args })
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('page.ts', import.meta.url))],
    ...{ bundle: true, write: false, format: 'iife', logLevel: 'error', conditions: ['@latchkey/source'] },
  })
  script = outputFiles[0]?.text ?? ''
}, stepMs)
afterAll(() => browser?.close())
beforeEach(({ skip }) => {
  if (!browser) skip(`no browser at ${executablePath}: install Debian's chromium, or set CHROMIUM_PATH`)
})

/** An application at 127.0.0.1, and the service at localhost that it signs in at. */
async function openShop() {
  let issuer = ''
  const pages = createServer(({ url = '' }, response) => {
    if (url === '/app.js') return void response.setHeader('content-type', 'text/javascript').end(script)
    response.setHeader('content-type', 'text/html; charset=utf-8')
    const tag = `<script src="/app.js" data-issuer="${issuer}"></script>`
    response.end(`<!doctype html><link rel="icon" href="data:,"><title>Shop</title>${tag}`)
  })
  await once(pages.listen(0, '127.0.0.1'), 'listening')
  const origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`
  const writes = { count: 0 }
  let service: TestServer | undefined
  const create = async ({ port }: { readonly port: number }) => {
    issuer = `http://localhost:${port}`
    service = await openService(issuer, `${origin}/callback`, writes)
    return service.server
  }
  const listener = await listen(create, { port: 0, hostname: '127.0.0.1', closeOn: [], print: null })
  onTestFinished(async () => {
    pages.closeAllConnections()
    await new Promise((resolve) => pages.close(resolve))
    await listener.close()
    await listener.closed
  })
  if (!service || !browser) throw new Error('the service was not created')
  const context = await browser.newContext()
  onTestFinished(() => context.close())
  context.setDefaultTimeout(stepMs / 2)
  const page = await context.newPage()
  const tokens: string[] = []
  page.on('request', (request) => {
    if (request.url() === `${issuer}/token`) tokens.push(request.postData() ?? '')
  })
  return { origin, issuer, service, context, page, tokens, writes }
}

async function signIn(page: Page, service: TestServer, options: object = {}) {
  const { account, password } = await service.signedIn({ role: 'READER' })
  await page.evaluate((given) => void auth.signInWithRedirect(given), options)
  await fillIn(page, account.email, password)
  await page.waitForURL(/callback/)
  await reach(page, 'signed-in')
  return { ...account, password }
}

async function fillIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

async function reach(page: Page, status: string): Promise<void> {
  await page.waitForFunction((wanted) => auth.getState().status === wanted, status)
}

const codeOf = (page: Page) => page.evaluate(() => auth.handleRedirect().then(String, ({ code }) => code as string))

describe('a client on another origin', { timeout: 4 * stepMs }, () => {
  test('a client exchanges its code once for many calls, and removes the response from the address', async () => {
    const { origin, page, service, tokens } = await openShop()
    await page.goto(origin)
    const account = await signIn(page, service, { returnTo: '/cart?step=2#pay' })
    const answers = await page.evaluate(() => Promise.all([auth.handleRedirect(), auth.handleRedirect()]))
    expect(answers).toEqual([{ returnTo: '/cart?step=2#pay' }, { returnTo: '/cart?step=2#pay' }])
    expect(tokens.length).toBe(1)
    expect(page.url()).toBe(`${origin}/callback`)
    const { user } = (await page.evaluate(() => auth.getState())) as { readonly user: object }
    expect(user).toEqual({ id: account.id, name: account.name })
    expect(await page.evaluate(() => auth.request('mutation { write }'))).toEqual({ write: 1 })
    const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))
    expect(kept).not.toMatch(/eyJ|"ey/)
  })

  test('a client stays signed in after a reload and in another tab with at most one refresh each', async () => {
    const { origin, page, service, context, tokens } = await openShop()
    await page.goto(origin)
    await signIn(page, service)
    await page.goto(origin)
    await reach(page, 'signed-in')
    expect(tokens.map((form) => new URLSearchParams(form).get('grant_type'))).toEqual([
      'authorization_code',
      'refresh_token',
    ])
    const other = await context.newPage()
    await other.goto(origin)
    await reach(other, 'signed-in')
    await page.evaluate(() => auth.signOut())
    await reach(other, 'signed-out')
    await page.reload()
    await reach(page, 'signed-out')
  })

  test('a client that signs out revokes its refresh token', async () => {
    const { origin, page, service, issuer } = await openShop()
    await page.goto(origin)
    await signIn(page, service)
    const revoked = page.waitForResponse(`${issuer}/revoke`)
    await page.evaluate(() => auth.signOut())
    expect((await revoked).status()).toBe(200)
  })

  test('a client whose clock is an hour off signs in', async () => {
    const { origin, page, service } = await openShop()
    await page.addInitScript(() => {
      const { now } = Date
      Date.now = () => now() - 3_600_000
    })
    await page.goto(origin)
    await signIn(page, service)
    expect(await page.evaluate(() => auth.request('{ __typename }'))).toEqual({ __typename: 'Query' })
  })

  test('a page without a response is null to handleRedirect, signed out and signed in, and its address stays', async () => {
    const { origin, page, service, tokens } = await openShop()
    const address = `${origin}/notes?code=1&state=2#list`
    const arrive = async (status: string) => {
      await page.goto(address)
      expect(await page.evaluate(() => auth.handleRedirect())).toBeNull()
      await reach(page, status)
      expect(page.url()).toBe(address)
    }
    await arrive('signed-out')
    expect(tokens).toEqual([])
    await signIn(page, service)
    await arrive('signed-in')
    await page.goto(`${origin}/callback?state=2`)
    expect(await page.evaluate(() => auth.handleRedirect())).toBeNull()
    expect(page.url()).toBe(`${origin}/callback?state=2`)
  })

  test('a step-up leads to the service whatever proof is given, and the action is accepted after the return', async () => {
    const { origin, issuer, page, service, writes } = await openShop()
    await page.goto(origin)
    const { email, password } = await signIn(page, service)
    await page.goto(`${origin}/notes`)
    await reach(page, 'signed-in')
    await service.clock.advance({ minutes: 6 })
    await page.evaluate(() => {
      auth.onStepUp((request) => void request?.verify({ code: 'whatever' }))
      void auth.request('mutation { share }')
    })
    await page.waitForURL(`${issuer}/**`)
    expect(writes.count).toBe(0)
    await fillIn(page, email, password)
    await page.waitForURL(`${origin}/callback**`)
    expect(await page.evaluate(() => auth.handleRedirect())).toEqual({ returnTo: '/notes' })
    expect(await page.evaluate(() => auth.request('mutation { share }'))).toEqual({ share: 1 })
  })

  test('the key of a client signs, and no script exports it', async () => {
    const { origin, issuer, page, service } = await openShop()
    await page.goto(origin)
    await signIn(page, service)
    const exported = await page.evaluate(async (name) => {
      const opening = indexedDB.open(name)
      await new Promise((resolve) => opening.addEventListener('success', resolve))
      const reading = opening.result.transaction('k').objectStore('k').get('k')
      await new Promise((resolve) => reading.addEventListener('success', resolve))
      const { privateKey } = reading.result.keys as CryptoKeyPair
      const formats = ['jwk', 'pkcs8', 'raw'] as const
      const tries = formats.map((format) => crypto.subtle.exportKey(format as 'pkcs8', privateKey).then(() => format))
      const outcomes = (await Promise.allSettled(tries)).map(({ status }) => status)
      return { outcomes, usages: privateKey.usages, values: Object.keys(reading.result).sort() }
    }, `latchkey ${issuer}/graphql shop`)
    const refused = ['rejected', 'rejected', 'rejected']
    expect(exported).toEqual({ outcomes: refused, usages: ['sign'], values: ['isOut', 'keys', 'refreshToken'] })
  })

  test.each(['https://evil.example/', '/\\evil.example', '/.//evil.example', 'javascript:alert(1)'])(
    'a client returns to / for the target %s',
    async (returnTo) => {
      const { origin, page, service } = await openShop()
      await page.goto(origin)
      await signIn(page, service, { returnTo })
      expect(await page.evaluate(() => auth.handleRedirect())).toEqual({ returnTo: '/' })
    },
  )
})

describe('a response to no request of the page', { timeout: stepMs }, () => {
  test('a response with an unknown state is rejected without sending its code, and removed from the address', async () => {
    const { origin, issuer, page, tokens } = await openShop()
    await page.goto(`${origin}/callback?code=stolen&state=unknown&iss=${encodeURIComponent(issuer)}`)
    expect(await codeOf(page)).toBe('CSRF_REJECTED')
    await reach(page, 'signed-out')
    expect(page.url()).toBe(`${origin}/callback`)
    expect(tokens).toEqual([])
  })

  test.each([
    ['another issuer', 'https://evil.example'],
    ['no issuer', undefined],
  ])('a response of %s is rejected without sending its code', async (_name, iss) => {
    const { origin, page, tokens } = await openShop()
    await page.goto(origin)
    await page.evaluate(() => {
      const kept = JSON.stringify({ verifier: 'v', returnTo: '/', at: Math.floor(Date.now() / 1000) })
      sessionStorage.setItem('latchkey known', kept)
    })
    await page.goto(`${origin}/callback?${new URLSearchParams({ code: 'c', state: 'known', ...(iss && { iss }) })}`)
    expect(await codeOf(page)).toBe('CSRF_REJECTED')
    expect(page.url()).toBe(`${origin}/callback`)
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
    expect(tokens).toEqual([])
  })

  test.each(['code', 'state', 'iss', 'error'])(
    'a response with two values of %s is rejected without sending its code',
    async (name) => {
      const { origin, issuer, page, tokens } = await openShop()
      await page.goto(origin)
      await page.evaluate(() => {
        const kept = JSON.stringify({ verifier: 'v', returnTo: '/', at: Math.floor(Date.now() / 1000) })
        sessionStorage.setItem('latchkey known', kept)
      })
      const answer = new URLSearchParams({ code: 'c', state: 'known', iss: issuer })
      const second = answer.get(name) ?? 'access_denied'
      answer.append(name, second)
      if (name === 'error') answer.append(name, second)
      await page.goto(`${origin}/callback?${answer}`)
      expect(await codeOf(page)).toBe('CSRF_REJECTED')
      expect(page.url()).toBe(`${origin}/callback`)
      expect(tokens).toEqual([])
    },
  )

  test('a response to a request of ten minutes ago is rejected', async () => {
    const { origin, issuer, page, tokens } = await openShop()
    await page.goto(origin)
    await page.evaluate(() => {
      const kept = JSON.stringify({ verifier: 'v', returnTo: '/', at: Math.floor(Date.now() / 1000) - 601 })
      sessionStorage.setItem('latchkey known', kept)
    })
    await page.goto(`${origin}/callback?${new URLSearchParams({ code: 'c', state: 'known', iss: issuer })}`)
    expect(await codeOf(page)).toBe('CSRF_REJECTED')
    expect(tokens).toEqual([])
  })

  test('a refusal of the user rejects with access_denied, and the page stays signed out', async () => {
    const { origin, page, service, tokens } = await openShop()
    await page.goto(origin)
    const { account, password } = await service.signedIn({ role: 'READER' })
    await page.evaluate((prompt) => void auth.signInWithRedirect({ prompt: prompt as never }), 'consent')
    await fillIn(page, account.email, password)
    await page.getByRole('button', { name: 'Don’t allow' }).click()
    await page.waitForURL(/callback/)
    expect(await codeOf(page)).toBe('access_denied')
    await reach(page, 'signed-out')
    expect([page.url(), tokens]).toEqual([`${origin}/callback`, []])
  })

  test('a refusal of the service rejects with its code', async () => {
    const { origin, page } = await openShop()
    await page.goto(origin)
    await page.evaluate(() => void auth.signInWithRedirect({ prompt: 'none' }))
    await page.waitForURL(/callback/)
    expect(await codeOf(page)).toBe('login_required')
    await reach(page, 'signed-out')
  })
})
