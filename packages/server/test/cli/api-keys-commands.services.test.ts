import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createCommandProject } from '../support/run-latchkey.ts'

// Where others use the machine too, a process takes many times as long as alone.
vi.setConfig({ testTimeout: 240_000 })

const { write, node, latchkey, latchkeyAlone, remove } = createCommandProject()

const serverFile = `
import { DatabaseSync } from 'node:sqlite'
import { definePolicy } from '@latchkey/rbac'
import { createServer, type Server } from '@latchkey/server'
import { createFileSecrets } from '@latchkey/server/node'
import { createSqliteStores } from '@latchkey/sql'
export const server: Server = createServer({
  baseUrl: 'http://127.0.0.1:4000',
  mails: { mailer: { send: async ({ kind, to }) => console.error(kind, to) }, maxDelayMs: 0 },
  secrets: createFileSecrets({ path: 'secret' }),
  stores: createSqliteStores({ database: () => new DatabaseSync('app.db') }),
  signUp: { role: 'MEMBER' },
  policy: definePolicy({ permissions: ['notes:read', 'notes:write'], roles: { MEMBER: { permissions: ['notes:read'] } } }),
  accounts: { apiKeys: { prefix: 'lk_', scopes: ['notes:read', 'notes:write'], maxDays: 30 } },
  typeDefs: 'type Query { notes: String! @requires(permissions: "notes:read") }',
  resolvers: { Query: { notes: () => 'Notes' } },
})`
const accountFile = `
import { server } from './server.ts'
await server.open({ migrate: true })
const account = { email: 'ada@example.com', name: 'Ada', roles: ['MEMBER'], status: 'active', passwordHash: null, epoch: 0 }
await server.stores.accounts.insert({ id: 'acc_ada', ...account })
await server.close()`
const showFile = `
import { server } from './server.ts'
const headers = { 'content-type': 'application/json', authorization: 'Bearer ' + process.env.SHOWN_KEY }
const body = JSON.stringify({ query: '{ notes }' })
const response = await server.fetch(new Request('http://127.0.0.1:4000/graphql', { method: 'POST', headers, body }))
console.log(response.status)
await server.close()`

beforeAll(async () => {
  write('server.ts', serverFile)
  write('account.ts', accountFile)
  write('show.ts', showFile)
  const { exitCode, stderr } = await node('account.ts')
  if (exitCode !== 0) throw new Error(stderr)
}, 240_000)
afterAll(remove)

const ada = ['server.ts', '--account', 'ada@example.com']
const creation = ['api-keys', 'create', ...ada, '--name', 'Export', '--scope', 'notes:read', '--days', '7']
const linesOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
async function statusOf(key: string): Promise<string> {
  vi.stubEnv('SHOWN_KEY', key)
  return (await node('show.ts')).stdout.trim()
}

test('latchkey api-keys creates a key that the service accepts, lists it without it, and revokes it by its id', async () => {
  const created = await latchkeyAlone(creation)
  expect(created).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('api-key-created ada@example.com') })
  const [{ key, ...apiKey }] = linesOf(created.stdout)
  expect(apiKey).toMatchObject({ name: 'Export', start: key.slice(0, 8), scopes: ['notes:read'], lastUsedAt: null })
  expect(await statusOf(key)).toBe('200')
  const listed = await latchkey(['api-keys', 'list', ...ada])
  expect(linesOf(listed.stdout)).toMatchObject([{ id: apiKey.id, start: key.slice(0, 8) }])
  expect(listed.stdout).not.toContain(key.slice(19, 62))
  const revoke = ['api-keys', 'revoke', ...ada, '--id', apiKey.id]
  expect(await latchkey(revoke)).toMatchObject({ exitCode: 0, stdout: '{"revoked":true}\n' })
  expect(await latchkey(revoke)).toMatchObject({ exitCode: 1, stdout: '' })
  expect(await statusOf(key)).toBe('401')
  expect((await latchkey(['api-keys', 'list', ...ada])).stdout).toBe('')
})

test('latchkey api-keys create without --days takes maxDays if that is less than 90', async () => {
  const [{ id, createdAt, expiresAt }] = linesOf((await latchkey(creation.slice(0, -2))).stdout)
  expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(30 * 86_400_000)
  await latchkey(['api-keys', 'revoke', ...ada, '--id', id])
})

test('latchkey api-keys revoke reads a leaked key from the standard input, and repeats it nowhere', async () => {
  const [{ key }] = linesOf((await latchkey(creation)).stdout)
  const revoke = ['api-keys', 'revoke', 'server.ts', '--key', '-']
  const wrong = await latchkeyAlone(revoke, {}, `${key.slice(0, -1)}_`)
  expect([wrong.exitCode, wrong.stdout]).toEqual([1, ''])
  const revoked = await latchkeyAlone(revoke, {}, `${key}\n`)
  expect([revoked.exitCode, revoked.stdout]).toEqual([0, '{"revoked":true}\n'])
  const again = await latchkeyAlone(revoke, {}, key)
  expect(again.exitCode).toBe(1)
  for (const { stdout, stderr } of [wrong, revoked, again]) expect(stdout + stderr).not.toContain(key.slice(8, 62))
  expect(await statusOf(key)).toBe('401')
})

test.each([
  [2, '--account is required', ['list', 'server.ts']],
  [2, '--name is required', ['create', ...ada]],
  [2, '--scope is required', ['create', ...ada, '--name', 'Export']],
  [2, '--key takes - only', ['revoke', 'server.ts', '--key', `lk_${'0'.repeat(65)}`]],
  [1, 'The account does not exist', ['list', 'server.ts', '--account', 'ben@example.com']],
  [
    1,
    'A key must have at least one scope',
    ['create', ...ada, '--name', 'Export', '--scope', 'notes:write', '--days', '7'],
  ],
  [
    1,
    'A key must expire in 1 to 30 days',
    ['create', ...ada, '--name', 'Export', '--scope', 'notes:read', '--days', '31'],
  ],
])('latchkey api-keys exits with %i and "%s", and changes no key', async (exitCode, sentence, args) => {
  const outcome = await latchkey(['api-keys', ...args])
  expect(outcome).toMatchObject({ exitCode, stdout: '', stderr: expect.stringContaining(sentence) })
  expect((await latchkey(['api-keys', 'list', ...ada])).stdout).toBe('')
})
