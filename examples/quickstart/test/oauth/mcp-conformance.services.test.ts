import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile } from 'node:fs/promises'
import { createServer, type Server, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nodeStart, type Quickstart, startQuickstart } from '../support/start-quickstart.ts'
import { answerClient, createPerson } from './sign-in-at-client.ts'

const revision = '2026-07-28'
const program = fileURLToPath(
  new URL('../../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url),
)
const baseline = fileURLToPath(new URL('conformance-baseline.yml', import.meta.url))

let service: Quickstart
let front: Server
let publicUrl = ''
/** The suite sends no token: whatever is in front of the service adds it to `/mcp`. */
let token = ''

beforeAll(async () => {
  front = createServer((request, response) => {
    const added = request.url === '/mcp' ? { authorization: `Bearer ${token}` } : {}
    const { hostname, port } = new URL(service.url)
    const headers = { ...request.headers, ...added }
    const sent = send({ hostname, port, method: request.method, path: request.url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    sent.on('error', () => response.destroy())
    request.pipe(sent)
  })
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
  publicUrl = `http://127.0.0.1:${(front.address() as AddressInfo).port}`
  service = await startQuickstart({ DATA_DIR: ':memory:', PUBLIC_URL: publicUrl }, nodeStart)
  token = await machineToken()
})
afterAll(async () => {
  front?.close()
  await service?.stop()
})

async function machineToken(): Promise<string> {
  const response = await fetch(`${publicUrl}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa('demo-machine:demo-machine-secret')}` },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      scope: 'articles:read',
      resource: `${publicUrl}/mcp`,
    }),
  })
  const { access_token: given } = (await response.json()) as { readonly access_token: string }
  return given
}

interface Run {
  readonly exitCode: number | null
  readonly output: string
  /** Of all checks. */
  readonly statuses: readonly string[]
}

/** Runs the suite, in a folder of its own because it leaves results. */
async function conform(words: readonly string[], onOutput: (output: string) => void = () => undefined): Promise<Run> {
  const cwd = await mkdtemp(join(tmpdir(), 'latchkey-conformance-'))
  const given = [program, ...words, '--spec-version', revision, '--output-dir', cwd]
  const child = spawn(process.execPath, given, { cwd })
  let output = ''
  const collect = (chunk: Buffer) => {
    output += chunk.toString()
    onOutput(output)
  }
  child.stdout.on('data', collect)
  child.stderr.on('data', collect)
  const exitCode = await new Promise<number | null>((resolve) => child.once('close', resolve))
  if (process.env.CONFORMANCE_OUTPUT) process.stdout.write(`$ conformance ${words.join(' ')}\n${output}\n`)
  const files = (await readdir(cwd, { recursive: true })).filter((file) => file.endsWith('checks.json'))
  const checks = await Promise.all(files.map(async (file) => JSON.parse(await readFile(join(cwd, file), 'utf8'))))
  return { exitCode, output, statuses: checks.flat().map(({ status }) => status) }
}

const totals = (output: string) => /Passed: (\d+\/\d+), (\d+) failed, (\d+) warnings/.exec(output)?.slice(1, 4)

describe('the conformance suite of MCP', () => {
  test.each([
    ['tools-list', ['4/4', '0', '0']],
    ['dns-rebinding-protection', ['2/2', '0', '0']],
    ['http-header-validation', ['14/14', '0', '0']],
    ['server-stateless', ['21/25', '4', '0']],
    ['caching', ['4/7', '3', '0']],
  ])(
    'the conformance suite passes %s at the tools of the publication, except for the baseline',
    async (scenario, expected) => {
      const words = ['server', '--url', `${publicUrl}/mcp`, '--scenario', scenario, '--expected-failures', baseline]
      const { exitCode, output } = await conform(words)
      expect([exitCode, totals(output), output]).toEqual([0, expected, expect.any(String)])
    },
  )

  test('passes the scenarios of authorization servers, without a failure or a warning', async () => {
    const person = createPerson(publicUrl, 'reader@example.com')
    const words = [
      'authorization',
      '--url',
      publicUrl,
      '--client-id',
      'demo-native',
      '--port',
      String(await freePort()),
    ]
    let isLed = false
    const lead = (output: string) => {
      const [address] = /http:\/\/\S+\/authorize\?\S+(?=\s)/.exec(output) ?? []
      if (isLed || address === undefined) return
      isLed = true
      void answerClient(person, new URL(address)).then((answer) => fetch(answer))
    }
    const { exitCode, output, statuses } = await conform([...words, '--resource', `${publicUrl}/mcp`], lead)
    expect([exitCode, output]).toEqual([0, expect.stringContaining('Total: 3 passed, 0 failed')])
    expect(statuses).toEqual(['SUCCESS', 'SUCCESS', 'SUCCESS'])
  })
})

/** The suite listens on a port that it is told. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
