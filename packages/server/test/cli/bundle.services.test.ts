import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createCommandProject } from '../support/run-latchkey.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const project = createCommandProject()
/** Where a bundle is deployed: nothing is installed there. */
const deployed = mkdtempSync(join(tmpdir(), 'latchkey-bundle-'))
afterAll(async () => {
  await project.remove()
  rmSync(deployed, { recursive: true })
})

const serviceFile = (typeDefs: string, visit: string) => `
import { DatabaseSync } from 'node:sqlite'
import { definePolicy } from '@latchkey/rbac'
import { createServer } from '@latchkey/server'
import { createEnvSecrets, listen } from '@latchkey/server/node'
import { createSqliteStores } from '@latchkey/sql'
const make = ({ port }) => createServer({
  baseUrl: 'http://127.0.0.1:' + port,
  mails: { mailer: { send: async () => {} } },
  secrets: createEnvSecrets({ environment: { LATCHKEY_SECRET: 'x'.repeat(43) } }),
  stores: createSqliteStores({ database: () => new DatabaseSync(':memory:') }),
  signUp: { role: 'READER' },
  policy: definePolicy({ permissions: [], roles: { READER: {} } }),
  typeDefs: ${JSON.stringify(typeDefs)},
  resolvers: {
    Query: { hello: () => 'Hello' },
    ...(${typeDefs.includes('Subscription')} && { Subscription: { ticks: { async *subscribe() { yield { ticks: 7 } } } } }),
  },
})
let server
const listener = await listen((address) => (server = make(address)), { port: 0, migrate: true, print: null })
const origin = '127.0.0.1:' + listener.port
const post = async (query, variables) => (await fetch('http://' + origin + '/graphql', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ query, variables }),
})).json()
${visit}
await listener.close()
`

const signIn = `
const person = { email: 'ada@example.com', password: 'otters read quietly at dawn' }
const attempt = { address: null, deviceToken: null, channel: 'command', requestId: null }
await (await server.accounts()).create({ ...person, name: 'Ada', roles: ['READER'], attempt })
const input = 'mutation ($input: SignInInput!) { signIn(input: $input) { status } }'
console.log(JSON.stringify([await post('{ hello }'), await post(input, { input: person })]))
`

const subscribe = `
const socket = new WebSocket('ws://' + origin + '/graphql', ['graphql-transport-ws'])
const send = (message) => socket.send(JSON.stringify(message))
socket.onopen = () => send({ type: 'connection_init' })
const data = await new Promise((resolve) => {
  socket.onmessage = ({ data: text }) => {
    const { type, payload } = JSON.parse(text)
    if (type === 'connection_ack') send({ id: '1', type: 'subscribe', payload: { query: 'subscription { ticks }' } })
    if (type === 'next') resolve(payload.data)
  }
})
socket.close()
console.log(JSON.stringify(data))
`

/** What a service prints of its hasher, whose worker is native on no version of Node.js: `hash-wasm` computes. */
const hash = `
import { createPasswordHasher } from '@latchkey/password'
const hasher = createPasswordHasher({ engines: { argon2id: 'hash-wasm' } })
const stored = await hasher.hash('otters read quietly at dawn')
const { argon2id, place } = await hasher.engines()
console.log(JSON.stringify({ argon2id, place, stored: stored.slice(0, 9) }))
await hasher.close()
`

const worker = { 'latchkey-password-worker': '@latchkey/password/worker' }

/** Bundles a service as the README says, and returns its file. */
async function bundle(name: string, text: string, besides: Record<string, string> = {}): Promise<string> {
  project.write(`${name}.ts`, text)
  const outdir = join(deployed, name)
  await build({
    entryPoints: { server: join(project.folder, `${name}.ts`), ...besides },
    absWorkingDir: project.folder,
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['@latchkey/source'],
    logLevel: 'silent',
  })
  return join(outdir, 'server.mjs')
}

function run(file: string, ...flags: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [...flags, file], { cwd: deployed, timeout: 60_000 }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code ?? -1) : 0, stdout, stderr }),
    )
  })
}

describe('an ES module into which esbuild has put a whole service', () => {
  const queries = 'type Query { hello: String! @public }'
  const subscriptions = `${queries} type Subscription { ticks: Int! @public }`
  let withSockets: string

  beforeAll(async () => {
    withSockets = await bundle('sockets', serviceFile(subscriptions, subscribe))
  })

  test('serves and signs in without installed packages', async () => {
    const outcome = await run(
      await bundle('alone', serviceFile(queries, signIn), worker),
      '--disable-warning=ExperimentalWarning',
    )
    expect(outcome).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(outcome.stdout)).toEqual([
      { data: { hello: 'Hello' } },
      { data: { signIn: { status: 'SIGNED_IN' } } },
    ])
  })

  test('fails to start with subscriptions if the package ws is missing', async () => {
    const { code, stderr } = await run(withSockets, '--no-warnings')
    expect(code).toBe(1)
    expect(stderr).toContain('WebSockets need the package ws: install it, beside a bundle too')
  })

  test('serves WebSockets if the package ws is installed', async () => {
    mkdirSync(join(deployed, 'node_modules'))
    const ws = dirname(createRequire(import.meta.url).resolve('ws/package.json'))
    symlinkSync(ws, join(deployed, 'node_modules/ws'), 'junction')
    expect(await run(withSockets, '--no-warnings')).toEqual({ code: 0, stdout: '{"ticks":7}\n', stderr: '' })
  })

  test('hashes passwords in the worker file next to it', async () => {
    const { stdout, stderr } = await run(await bundle('beside', hash, worker))
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toEqual({ argon2id: 'hash-wasm', place: 'worker', stored: '$argon2id' })
  })

  test('without that worker warns, and does not start a file worker.mjs of the application', async () => {
    const file = await bundle('missing', hash)
    writeFileSync(join(dirname(file), 'worker.mjs'), "console.log('the worker of the application')")
    const { stdout, stderr } = await run(file)
    expect(stderr).toContain('[LATCHKEY_PASSWORD_WORKER_MISSING]')
    expect(JSON.parse(stdout)).toEqual({ argon2id: 'hash-wasm', place: 'thread', stored: '$argon2id' })
  })
})
