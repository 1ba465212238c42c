import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { unknownAttempt } from '@latchkey/accounts'
import { randomBytes } from '@latchkey/bytes'
import { listen } from '@latchkey/server/node'
import { createSqliteStores } from '@latchkey/sql'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createProvider } from '../src/provider.ts'
import { createFormBrowser, type FormBrowser, type Visited } from './support/form-browser.ts'
import { passProvider, password } from './support/people.ts'
import { createFolder, findPort, startProgram } from './support/start-program.ts'

const guide = new URL('../../../docs/guides/sign-in-with-a-provider-in-express.md', import.meta.url)
const [, code = ''] = /```ts\n([\s\S]*?)```/.exec(readFileSync(guide, 'utf8')) ?? []
const packages = fileURLToPath(new URL('../../../packages', import.meta.url))
const express = dirname(fileURLToPath(import.meta.resolve('express')))

const client = { clientId: 'application', clientSecret: 'secret-of-the-application' }

interface Guide {
  readonly origin: string
  readonly issuer: string
}

/** Starts the application of the guide, with a server of this repository as its provider, until the test is over. */
async function startGuide(): Promise<Guide> {
  const [providerPort, port] = [await findPort(), await findPort()]
  const [issuer, origin] = [`http://127.0.0.1:${providerPort}`, `http://localhost:${port}`]
  const at = `${origin}/sign-in/google`
  const registration = { issuer, ...client, redirectUri: `${at}/callback`, logoutUri: `${at}/logout` }
  const provider = createProvider(registration, {
    stores: createSqliteStores({ database: () => new DatabaseSync(':memory:') }),
    secrets: [{ id: 'a', bytes: randomBytes(32) }],
  })
  const listener = await listen(provider, { port: providerPort, migrate: true, closeOn: [], print: null })
  onTestFinished(() => listener.close())
  const accounts = await provider.accounts()
  for (const [email, name] of [
    ['ada@example.com', 'Ada'],
    ['ben@example.com', 'Ben'],
  ] as const) {
    await accounts.create({ email, name, roles: ['MEMBER'], password, attempt: unknownAttempt })
  }

  const folder = createFolder()
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(packages, join(folder, 'node_modules/@latchkey'), 'junction')
  symlinkSync(express, join(folder, 'node_modules/express'), 'junction')
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const program = code
    .replace('provider: providers.google', `provider: providers.openid({ issuer: '${issuer}' })`)
    .replace("app.listen(3000, '127.0.0.1')", `app.listen(${port}, '127.0.0.1', () => console.log('ready'))`)
  writeFileSync(join(folder, 'app.ts'), program)
  const env = { ORIGIN: origin, CLIENT_ID: client.clientId, CLIENT_SECRET: client.clientSecret }
  const command = ['--no-warnings', '--conditions=@latchkey/source', 'app.ts']
  await startProgram(command, { folder, env, ready: /ready/ })
  return { origin, issuer }
}

/** What the application shows of who is signed in. */
interface Me {
  readonly subject: string
  readonly linked: readonly { readonly id: string }[]
  readonly token: string
}

const readMe = ({ status, url, text }: Visited): Me => {
  expect([status, url.pathname]).toEqual([200, '/me'])
  return JSON.parse(text) as Me
}

async function signIn(browser: FormBrowser, origin: string, email: string): Promise<Visited> {
  const page = await browser.open(`${origin}/me`)
  return passProvider(browser, await browser.post(page, '/sign-in/google', {}), email)
}

describe('the application of the guide about providers in Express', () => {
  test('opens an account at the first sign-in with the provider, and signs in to the same account at the second', async () => {
    const { origin } = await startGuide()
    const browser = createFormBrowser()
    expect((await browser.open(`${origin}/me`)).status).toBe(401)
    const { subject, linked } = readMe(await signIn(browser, origin, 'ada@example.com'))
    expect(linked).toHaveLength(1)
    expect(readMe(await signIn(createFormBrowser(), origin, 'ada@example.com')).subject).toBe(subject)
    expect(readMe(await signIn(createFormBrowser(), origin, 'ben@example.com')).subject).not.toBe(subject)
  })

  test('links a second user of the provider to the same account, and unlinks all users except the last', async () => {
    const { origin } = await startGuide()
    const browser = createFormBrowser()
    const page = await signIn(browser, origin, 'ada@example.com')
    const ada = readMe(page)
    browser.forget('127.0.0.1')
    const asked = await browser.post(page, '/providers/google/link', { token: ada.token })
    const linkedPage = await passProvider(browser, asked, 'ben@example.com')
    const linked = readMe(linkedPage)
    expect([linked.subject, linked.linked.length]).toEqual([ada.subject, 2])
    expect(readMe(await signIn(createFormBrowser(), origin, 'ben@example.com')).subject).toBe(ada.subject)

    const fields = { token: linked.token, id: linked.linked[0]?.id ?? '' }
    const left = readMe(await browser.post(linkedPage, '/providers/unlink', fields))
    expect(left.linked).toEqual(linked.linked.slice(1))
    const stale = await browser.post(linkedPage, '/providers/unlink', {
      token: left.token,
      id: left.linked[0]?.id ?? '',
    })
    expect([stale.status, stale.text]).toEqual([401, "Confirm it's you first."])
    const again = await browser.post(linkedPage, '/providers/google/confirm', { token: left.token })
    const { token } = readMe(await passProvider(browser, again, 'ben@example.com'))
    const refused = await browser.post(linkedPage, '/providers/unlink', { token, id: left.linked[0]?.id ?? '' })
    expect(refused.status).toBe(409)
    expect(readMe(await browser.open(`${origin}/me`)).linked).toEqual(left.linked)
  })

  test('confirms the user by a second password sign-in at the provider, and renews the session', async () => {
    const { origin } = await startGuide()
    const browser = createFormBrowser()
    const page = await signIn(browser, origin, 'ada@example.com')
    const { subject, token } = readMe(page)
    const asked = await browser.post(page, '/providers/google/confirm', { token })
    expect(asked.url.pathname).toBe('/sign-in')
    const confirmed = readMe(await passProvider(browser, asked, 'ada@example.com'))
    expect([confirmed.subject, confirmed.token === token]).toEqual([subject, false])
  })

  test('refuses a form of another site, and a form without the token of the session, and changes no link', async () => {
    const { origin } = await startGuide()
    const browser = createFormBrowser()
    const page = await signIn(browser, origin, 'ada@example.com')
    const { token, linked } = readMe(page)
    const elsewhere = { ...page, url: new URL('http://localhost:1/') }
    for (const path of ['/sign-in/google', '/providers/google/link', '/providers/unlink']) {
      expect((await browser.post(elsewhere, `${origin}${path}`, { token })).status).toBe(403)
    }
    for (const path of ['/providers/google/link', '/providers/unlink']) {
      expect((await browser.post(page, path, { token: 'another' })).status).toBe(403)
    }
    expect(readMe(await browser.open(`${origin}/me`)).linked).toEqual(linked)
  })

  test('revokes the session when its user signs out at the provider', async () => {
    const { origin, issuer } = await startGuide()
    const browser = createFormBrowser()
    await signIn(browser, origin, 'ada@example.com')
    await browser.press(await browser.open(`${issuer}/account`), 'Sign out')
    await expect.poll(async () => (await browser.open(`${origin}/me`)).status).toBe(401)
  })

  test('refuses a callback without a started sign-in, and an unsigned logout token, and keeps the session', async () => {
    const { origin } = await startGuide()
    const browser = createFormBrowser()
    const page = await signIn(browser, origin, 'ada@example.com')
    const callback = `${origin}/sign-in/google/callback?code=c&state=s`
    expect((await browser.open(callback)).status).toBe(400)
    const logout = await browser.post(page, '/sign-in/google/logout', { logout_token: 'a.b.c' })
    expect([logout.status, logout.text]).toEqual([400, '{"error":"invalid_request"}'])
    readMe(await browser.open(`${origin}/me`))
  })
})
