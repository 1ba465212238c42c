import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createCommandProject } from '../support/run-latchkey.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const guide = new URL('../../../../docs/guides/sessions-in-your-own-server.md', import.meta.url)
const [, code = ''] = /```ts\n([\s\S]*?)```/.exec(readFileSync(guide, 'utf8')) ?? []

describe('the server of the guide about sessions', () => {
  const project = createCommandProject()
  let url = ''
  let stop = () => {}

  beforeAll(async () => {
    project.write(
      'guide.ts',
      code.replace('.listen(3000)', '.listen(0, function () { console.log(this.address().port) })'),
    )
    const [program, ...flags] = project.command.slice(0, -1)
    const child = spawn(program ?? '', [...flags, join(project.folder, 'guide.ts')], { cwd: project.folder })
    stop = () => void child.kill('SIGKILL')
    let printed = ''
    child.stdout.on('data', (chunk) => {
      printed += chunk
    })
    await vi.waitFor(() => expect(printed).toMatch(/^\d+\n/), 60_000)
    url = `http://127.0.0.1:${printed.trim()}`
  })
  afterAll(async () => {
    stop()
    await project.remove()
  })

  /** `fetch` sends the host that it connects to, and the guide has a port of its own. */
  async function signIn(body: string | Uint8Array, host = '127.0.0.1:3000'): Promise<IncomingMessage> {
    const sent = request(`${url}/sign-in`, { method: 'POST', headers: { host } }).end(body)
    const [response]: IncomingMessage[] = await once(sent, 'response')
    if (!response) throw new Error('no response')
    return response.resume()
  }

  const right = { email: 'ada@example.com', password: 'seven kettles hum' }

  test.each([
    ['the right password', JSON.stringify(right), 200],
    ['a wrong password', JSON.stringify({ ...right, password: 'eight kettles hum' }), 401],
    ['an unknown address', JSON.stringify({ ...right, email: 'ben@example.com' }), 401],
    ['half of an object', '{"email":', 400],
    ['nothing', '', 400],
    ['null', 'null', 400],
    ['a list', '[]', 400],
    ['a number for the password', JSON.stringify({ ...right, password: 7 }), 400],
    ['bytes that are no text', new Uint8Array([255, 254]), 400],
    ['more than a form has', JSON.stringify({ ...right, more: 'x'.repeat(10_000) }), 413],
  ])('answers a sign-in with %s: %#', async (_what, body, status) => {
    const { statusCode, headers } = await signIn(body)
    expect([statusCode, headers['set-cookie']?.length ?? 0]).toEqual([status, status === 200 ? 1 : 0])
  })

  test.each([
    ['evil.example:3000', 421],
    ['127.0.0.1:3001', 421],
    ['a b', 400],
  ])('refuses every sign-in for the host %s', async (host, status) => {
    const { statusCode, headers } = await signIn(JSON.stringify(right), host)
    expect([statusCode, headers['set-cookie']]).toEqual([status, undefined])
  })
})
