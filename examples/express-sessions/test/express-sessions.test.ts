import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'latchkey-express-'))
const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))
let stop: () => Promise<void>
let origin: string

beforeAll(async () => {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as { readonly port: number }
  probe.close()
  await once(probe, 'close')
  origin = `http://127.0.0.1:${port}`
  const env = { PATH: process.env.PATH, PORT: String(port), DATA_DIR: folder }
  const child = spawn(process.execPath, ['--conditions=@latchkey/source', main], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  const [printed] = await once(child.stdout, 'data')
  expect(String(printed)).toContain(`Listening at ${origin}`)
})
afterAll(async () => {
  await stop()
  rmSync(folder, { recursive: true })
})

const open = (path: string, cookie = '') => fetch(`${origin}${path}`, { headers: { cookie }, redirect: 'manual' })

async function ask(query: string, headers: Record<string, string> = {}) {
  const body = JSON.stringify({ query })
  const response = await fetch(`${origin}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })
  const cookie = response.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  return { status: response.status, cookie, ...(await response.json()) }
}

const signIn = (password: string) =>
  ask(
    `mutation { signIn(input: { email: "ada@example.com", password: "${password}", delivery: SESSION }) { csrfToken } }`,
  )

test('a page of Express without a session leads to the sign-in page of the service and back', async () => {
  const response = await open('/orders')
  expect([response.status, response.headers.get('location')]).toEqual([303, '/sign-in?return_to=%2Forders'])
  expect((await open('/sign-in?return_to=%2Forders')).status).toBe(200)
  expect(await (await open('/')).text()).toContain('Shop')
})

test.each(['__Host-session=forged', '__Host-session=', 'session=acc_1'])(
  'a page of Express takes %s for no session',
  async (cookie) => {
    expect((await open('/orders', cookie)).status).toBe(303)
  },
)

test('a page of Express names who is signed in, until the session is revoked', async () => {
  expect(await signIn('not the password')).toMatchObject({ status: 401, cookie: '' })
  const { cookie, data } = await signIn('otters read quietly at dawn')
  const page = await open('/orders', cookie)
  expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-store'])
  expect(await page.text()).toContain('Orders of Ada')

  expect((await ask('mutation { signOut }', { cookie })).status).toBe(403)
  expect((await open('/orders', cookie)).status).toBe(200)
  expect((await ask('mutation { signOut }', { cookie, 'x-csrf-token': data.signIn.csrfToken })).status).toBe(200)
  expect((await open('/orders', cookie)).status).toBe(303)
})
