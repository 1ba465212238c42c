import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { stripTypeScriptTypes } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nodeStart, type Quickstart, startQuickstart, temporaryDirectory } from '../support/start-quickstart.ts'
import { seedPassword } from '../support/visitor.ts'
import { launchBrowser, reason, timeout } from './launch-browser.ts'

const example = fileURLToPath(new URL('../../../spa/', import.meta.url))
const vite = join(example, 'node_modules/vite/bin/vite.js')

/** Returns the first block of a guide that starts with this. */
function readBlock(name: string, start: string): string {
  const guide = readFileSync(new URL(`../../../../docs/guides/${name}.md`, import.meta.url), 'utf8')
  const [, block = ''] = new RegExp(`^\`\`\`ts\\n(${start}[\\s\\S]*?)^\`\`\``, 'm').exec(guide) ?? []
  return block
}

/** The functions of the guide on headers: `start`, which asks for the CSRF token, and `ask`. */
const asking = stripTypeScriptTypes(readBlock('single-page-app-headers', 'interface Answer')).replaceAll('export ', '')

/** The constants of the guide's `vite.config.ts`, before this service. */
function configurationFor(service: string): string {
  const constants = readBlock('single-page-app', 'const service = ').replace('http://127.0.0.1:4000', service)
  return `${constants}\nexport default { server }\n`
}

async function findPort(): Promise<number> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function startVite(folder: string, port: number): Promise<ChildProcess> {
  const child = spawn(process.execPath, [vite, '--port', `${port}`], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  for await (const chunk of child.stdout) {
    printed += chunk
    if (!printed.includes('ready in')) continue
    child.stdout.resume()
    return child
  }
  throw new Error(`Vite has ended: ${printed}`)
}

describe('a page behind the proxy of Vite', { timeout: 3 * timeout }, () => {
  let folder = ''
  let origin = ''
  let service: Quickstart
  let pages: ChildProcess
  let browser: Browser | null = null

  beforeAll(async () => {
    const port = await findPort()
    origin = `http://localhost:${port}`
    folder = await temporaryDirectory()
    service = await startQuickstart({ PUBLIC_URL: origin }, nodeStart)
    await writeFile(join(folder, 'vite.config.mjs'), configurationFor(service.url))
    await writeFile(join(folder, 'index.html'), '<!doctype html><link rel="icon" href="data:,"><h1>The app</h1>')
    pages = await startVite(folder, port)
    browser = await launchBrowser()
  }, 2 * timeout)
  afterAll(async () => {
    await browser?.close()
    pages?.kill()
    await service?.stop()
    await rm(folder, { recursive: true })
  })

  test('adds a passkey and signs in by it on the pages of the service, and sends a mutation by the code of the guide', async ({
    skip,
  }) => {
    if (!browser) return skip(reason)
    const context = await browser.newContext()
    context.setDefaultTimeout(timeout)
    const page = await context.newPage()
    const client = await context.newCDPSession(page)
    await client.send('WebAuthn.enable', { enableUI: false })
    const authenticator = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true } as const
    const isPresent = { hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true }
    await client.send('WebAuthn.addVirtualAuthenticator', { options: { ...authenticator, ...isPresent } })
    await page.goto(origin)
    await page.getByRole('heading', { name: 'The app' }).waitFor()
    await page.goto(`${origin}/sign-in?return_to=/account/passkeys`)
    await page.getByLabel('Email').fill('reader@example.com')
    await page.getByLabel('Password').fill(seedPassword)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByLabel('Passkey name').fill('Laptop')
    await page.getByRole('button', { name: 'Add passkey' }).click()
    await page.getByRole('button', { name: 'Create passkey' }).click()
    await page.getByRole('link', { name: 'I’ve saved my codes' }).click()
    await context.clearCookies()
    const shown = page.waitForResponse(`${origin}/passkey`)
    // The list of the field answers at once here, because the authenticator needs no gesture.
    await page.goto(`${origin}/sign-in?return_to=/account`)
    expect((await shown).status()).toBe(303)
    await page.waitForURL(`${origin}/account`)
    const asked = "[await ask('{ viewer { email } }'), await ask('mutation { signOut }')]"
    expect(await page.evaluate(`(async () => { ${asking}; await start(); return ${asked} })()`)).toEqual([
      { data: { viewer: { email: 'reader@example.com' } } },
      { data: { signOut: true } },
    ])
    await context.close()
  })
})
