import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createCommandProject } from '../support/run-latchkey.ts'

// Where others use the machine too, a process takes many times as long as alone.
vi.setConfig({ testTimeout: 240_000 })

const project = createCommandProject()
const { folder, latchkey, node, write } = project

const serverFile = (database: string, more = '') => `
import { DatabaseSync } from 'node:sqlite'
import { definePolicy } from '@latchkey/rbac'
import { createServer, createTerminalMailer, type Server } from '@latchkey/server'
import { createFileSecrets } from '@latchkey/server/node'
import { createSqliteStores } from '@latchkey/sql'
export const database = () => new DatabaseSync('${database}')
export const server: Server = createServer({
  baseUrl: 'http://127.0.0.1:4000',
  mails: { mailer: createTerminalMailer() },
  secrets: createFileSecrets({ path: 'secret' }),
  stores: createSqliteStores({ database }),
  signUp: { role: 'MEMBER' },
  policy: definePolicy({ permissions: [], roles: { MEMBER: {} } }),
  typeDefs: 'type Query { note: String! @public }',
  resolvers: {},
  ${more}
})`

/** Two accounts: one has signed in by cookie and by token, from a device that would clear the screen. */
const signInFile = `
import { createPasswordHasher } from '@latchkey/password'
import { server } from './server.ts'
const hasher = createPasswordHasher()
const passwordHash = await hasher.hash('otters read quietly at dawn')
await server.open({ migrate: true })
for (const name of ['ada', 'ben']) {
  const email = name + '@example.com'
  await server.stores.accounts.insert({ id: 'acc_' + name, email, name, roles: ['MEMBER'], status: 'active', passwordHash, epoch: 0 })
}
const accounts = await server.accounts()
const attempt = { address: '192.0.2.7', deviceToken: null, channel: 'native', requestId: null }
const device = { userAgent: 'Otter\\u001b[2J\\u202e/1', address: '192.0.2.7' }
const signIn = (delivery) => accounts.signIn({ email: 'ada@example.com', password: 'otters read quietly at dawn', delivery, device, attempt })
const [cookie, tokens] = [await signIn('session'), await signIn('token')]
console.log(JSON.stringify({
  session: cookie.credentials.session.key,
  family: tokens.credentials.family.key,
  secrets: [cookie.credentials.credential, tokens.credentials.accessToken, tokens.credentials.refreshToken],
}))
await server.close()
await hasher.close()
`

const sealedFile = `
import { database } from './server.ts'
const rows = database().prepare("select value from latchkey_documents where collection = 'signing-key'").all()
console.log(JSON.stringify(rows.map(({ value }) => JSON.parse(value).sealed)))
`

/** Everything that no output may hold. */
const secrets: string[] = []
const printed: string[] = []

async function run(...args: readonly string[]) {
  const outcome = await latchkey(args)
  printed.push(outcome.stdout, outcome.stderr)
  return outcome
}
interface ListedKey {
  readonly id: string
  readonly state: string
  readonly createdAt: number
  readonly retiredAt: number | null
  readonly signsAt: number | null
}
const keysOf = (text: string): readonly ListedKey[] => JSON.parse(text)

interface SignedIn {
  readonly session: string
  readonly family: string
  readonly secrets: readonly string[]
}
let signedIn: SignedIn

beforeAll(async () => {
  write('server.ts', serverFile('app.db'))
  write('untouched.ts', serverFile('untouched.db'))
  write('published.ts', serverFile('published.db', "sessions: { accessTokens: { algorithm: 'ES256' } },"))
  write('neither.ts', 'export const server = { listen() {} }\n')
  write('sign-in.ts', signInFile)
  write('sealed.ts', sealedFile)
  const { exitCode, stdout, stderr } = await node('sign-in.ts')
  if (exitCode !== 0) throw new Error(stderr)
  signedIn = JSON.parse(stdout)
  secrets.push(...signedIn.secrets, ...signedIn.secrets.map((one) => one.split('.')[1] ?? one))
}, 240_000)

afterAll(project.remove)

test.concurrent.each([
  ['keys list', 'usage: latchkey keys list <file>'],
  ['keys generate', 'usage: latchkey keys generate <file>'],
  ['keys rotate', 'usage: latchkey keys rotate <file>'],
  ['sessions list', 'usage: latchkey sessions list <file> <account>'],
  ['sessions revoke', 'usage: latchkey sessions revoke <file> <account>'],
])('latchkey %s --help prints only its help', async (line, words) => {
  const outcome = await run(...line.split(' '), 'absent.ts', '--help')
  expect(outcome).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(words), stderr: '' })
  expect(outcome.stdout).toContain('Exit code')
})

test.concurrent.each([
  ['keys', 'unknown command "keys"', 'latchkey keys rotate'],
  ['keys rotate server.ts twice', 'one file is required', 'latchkey keys rotate --help'],
  ['keys list neither.ts', 'exports server', 'export const server = createServer('],
  ['keys rotate server.ts --force', "Unknown option '--force'", 'latchkey keys rotate --help'],
  ['sessions list server.ts', 'and one account', 'latchkey sessions list --help'],
  ['sessions revoke server.ts acc_ada acc_ben', 'and one account', 'latchkey sessions revoke --help'],
])(
  'latchkey %s with wrong arguments exits with 2, and prints the problem and the next step',
  async (line, wrong, next) => {
    const { exitCode, stdout, stderr } = await run(...line.split(' '))
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toContain(wrong)
    expect(stderr).toContain(next)
    expect(stderr).not.toMatch(/^\s+at /m)
  },
)

test.concurrent('latchkey keys creates, rotates and lists the signing keys', async () => {
  const early = await run('keys', 'generate', 'untouched.ts')
  expect([early.exitCode, early.stdout]).toEqual([1, ''])
  expect(early.stderr).toContain(
    'Check the stores and secrets of untouched.ts. If tables are missing: latchkey migrate',
  )
  expect(early.stderr).not.toMatch(/^\s+at /m)
  expect((await run('migrate', 'untouched.ts')).exitCode).toBe(0)
  expect(await run('keys', 'list', 'untouched.ts')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^There are no keys yet/),
  })
  const made = keysOf((await run('keys', 'generate', 'untouched.ts', '--json')).stdout)
  expect(made.map(({ state, retiredAt }) => [state, retiredAt])).toEqual([
    ['signing', null],
    ['next', null],
  ])
  expect(keysOf((await run('keys', 'generate', 'untouched.ts', '--json')).stdout)).toEqual(made)
  expect(JSON.parse((await run('keys', 'rotate', 'untouched.ts', '--json')).stdout)).toEqual({ keyId: made[1]?.id })
  const rotated = keysOf((await run('keys', 'list', 'untouched.ts', '--json')).stdout)
  expect(rotated.map(({ id, state }) => [id, state])).toEqual([
    [made[0]?.id, 'retired'],
    [made[1]?.id, 'signing'],
    [expect.any(String), 'next'],
  ])
  expect(rotated[0]?.retiredAt).toBeGreaterThanOrEqual(made[0]?.createdAt ?? Number.NaN)
  const { exitCode, stdout, stderr } = await run('keys', 'list', 'untouched.ts')
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  expect(
    stdout
      .split('\n')
      .slice(0, 3)
      .map((line) => line.split(/ {2,}/).slice(0, 4)),
  ).toEqual([
    ['Key', 'Tokens', 'State', 'Algorithm'],
    [made[0]?.id, 'service', 'retired', 'HS256'],
    [made[1]?.id, 'service', 'signing', 'HS256'],
  ])
})

test.concurrent('latchkey keys rotate signs by a key only once other services know it, except after a leak', async () => {
  expect((await run('migrate', 'published.ts')).exitCode).toBe(0)
  const made = keysOf((await run('keys', 'generate', 'published.ts', '--json')).stdout)
  const [signing, next] = made
  expect([signing?.signsAt, next?.signsAt]).toEqual([null, (next?.createdAt ?? Number.NaN) + 900_000])
  const early = await run('keys', 'rotate', 'published.ts')
  expect([early.exitCode, early.stdout]).toEqual([1, ''])
  expect(early.stderr).toContain(`The next key may sign from ${new Date(next?.signsAt ?? 0).toISOString()}`)
  expect(early.stderr).toContain('Nothing has changed.')
  expect(early.stderr).toContain('latchkey keys rotate --now')
  expect(keysOf((await run('keys', 'list', 'published.ts', '--json')).stdout)).toEqual(made)

  const { exitCode, stdout } = await run('keys', 'rotate', 'published.ts', '--now')
  expect(exitCode).toBe(0)
  expect(stdout).toContain('Every earlier access token is refused')
  const after = keysOf((await run('keys', 'list', 'published.ts', '--json')).stdout)
  expect(after.map(({ state }) => state)).toEqual(['signing', 'next'])
  expect(stdout).toContain(`The key ${after[0]?.id} signs from now on.`)
  const known = new Set(made.map(({ id }) => id))
  expect(after.filter(({ id }) => known.has(id))).toEqual([])
})

test.concurrent('latchkey sessions lists the sessions of an account, and revokes them', async () => {
  const listed = JSON.parse((await run('sessions', 'list', 'server.ts', 'acc_ada', '--json')).stdout)
  const keys = listed.map(({ key }: { readonly key: string }) => key)
  expect([...keys].sort()).toEqual([signedIn.session, signedIn.family].sort())
  expect(Object.keys(listed[0]).sort()).toEqual([
    'clientId',
    'createdAt',
    'device',
    'expiresAt',
    'key',
    'kind',
    'lastUsedAt',
  ])

  const table = await run('sessions', 'list', 'server.ts', 'Ada@Example.com')
  expect(table).toMatchObject({ exitCode: 0, stderr: '' })
  expect(table.stdout).toMatch(/^Session +Kind +Opened +Last used +Expires +Address +Device$/m)
  expect(table.stdout).toContain('192.0.2.7  Otter?[2J?/1')

  expect(await run('sessions', 'revoke', 'server.ts', 'acc_ben', '--session', signedIn.session)).toMatchObject({
    exitCode: 1,
    stdout: '',
    stderr: expect.stringContaining('The account has no open session with this id.'),
  })
  expect(await run('sessions', 'revoke', 'server.ts', 'acc_ada', '--session', signedIn.session)).toEqual({
    exitCode: 0,
    stdout: '1 session ended.\n',
    stderr: '',
  })
  expect((await run('sessions', 'revoke', 'server.ts', 'acc_ada', '--session', signedIn.session)).exitCode).toBe(1)
  expect((await run('sessions', 'revoke', 'server.ts', 'acc_ada', '--json')).stdout).toBe('{"revoked":1}\n')
  expect((await run('sessions', 'list', 'server.ts', 'acc_ada')).stdout).toBe('No sessions are open.\n')
})

test.concurrent.each(['acc_nobody', '@'])(
  'latchkey sessions of %s, which is not an account, is exit 1',
  async (account) => {
    const { exitCode, stdout, stderr } = await run('sessions', 'revoke', 'server.ts', account)
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
    expect(stderr).toContain('The account does not exist.')
  },
)

test('latchkey mcp of a service without tools is exit 1, and names the option', async () => {
  const { exitCode, stdout, stderr } = await run('mcp', 'server.ts', '--json')
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
  expect(stderr).toContain('Give createServer the option `mcp`')
})

test('no command printed a secret, a credential or a sealed key', async () => {
  const sealed: readonly string[] = JSON.parse((await node('sealed.ts')).stdout)
  expect(sealed.length).toBeGreaterThan(1)
  const all = [...secrets, ...sealed, readFileSync(join(folder, 'secret'), 'utf8').trim().split(' ')[1] ?? '']
  expect(all.every((secret) => secret.length > 20)).toBe(true)
  const text = printed.join('\n')
  expect(all.filter((secret) => text.includes(secret))).toEqual([])
})
