import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createCommandProject } from '../support/run-latchkey.ts'

// Where others use the machine too, a process takes many times as long as alone.
vi.setConfig({ testTimeout: 240_000 })

const project = createCommandProject()
const { folder, latchkey, node, write } = project

const serverFile = (stores: string) => `
import { DatabaseSync } from 'node:sqlite'
import { definePolicy } from '@latchkey/rbac'
import { createServer, createTerminalMailer, type Server } from '@latchkey/server'
import { createFileSecrets } from '@latchkey/server/node'
import { createSqliteStores } from '@latchkey/sql'
export const secrets = createFileSecrets({ path: 'secret' })
const sqlite = createSqliteStores({ database: () => new DatabaseSync('app.db') })
export const server: Server = createServer({
  baseUrl: 'http://127.0.0.1:4000',
  mails: { mailer: createTerminalMailer() },
  secrets,
  stores: ${stores},
  signUp: { role: 'MEMBER' },
  policy: definePolicy({ permissions: [], roles: { MEMBER: {} } }),
  typeDefs: 'type Query { note: String! @public }',
  resolvers: {},
})`

/** Three decisions of a service: one done, one unknown, one of long ago. */
const writeFile = `
import { createAuditLog } from '@latchkey/audit'
import { deriveSecrets } from '@latchkey/bytes'
import { secrets, server } from './server.ts'
await server.stores.migrate()
const root = deriveSecrets(await secrets.load(), 'audit')
const { audit: store } = server.stores
const facts = { accountId: 'acc_ada', actorId: 'acc_ben', address: '192.0.2.7', userAgent: null, requestId: 'req_1' }
const old = createAuditLog({ store, secrets: root, now: () => Date.parse('2020-01-02') })
await old.record({ ...facts, kind: 'account.created' })
await old.close()
const log = createAuditLog({ store, secrets: root })
await (await log.intend({ ...facts, kind: 'password.changed' })).done()
await log.intend({ ...facts, kind: 'account.deleted', accountId: 'acc_\\u001b[2J' })
await log.close()
await server.close()
`

/** Does something to the tables, as who can write to the database would. */
function tamper(sql: string): void {
  const database = new DatabaseSync(join(folder, 'app.db'))
  database.exec(sql)
  database.close()
}

const run = (line: string) => latchkey(line.split(' '))

beforeAll(async () => {
  write('server.ts', serverFile('sqlite'))
  write('without.ts', serverFile('{ ...sqlite, audit: undefined }'))
  write('memory.ts', serverFile("createSqliteStores({ database: () => new DatabaseSync(':memory:') })"))
  write('write.ts', writeFile)
  write('nothing-kept', '\n')
  const { exitCode, stderr } = await node('write.ts')
  if (exitCode !== 0) throw new Error(stderr)
}, 240_000)

afterAll(project.remove)

test.each(['list', 'verify', 'export', 'prune'])('latchkey audit %s --help prints its help', async (verb) => {
  const outcome = await run(`audit ${verb} absent.ts --help`)
  expect(outcome).toMatchObject({ exitCode: 0, stderr: '' })
  expect(outcome.stdout).toContain(`usage: latchkey audit ${verb} <file>`)
  expect(outcome.stdout).toContain('Exit code')
})

test.each([
  ['audit', 'unknown command "audit"'],
  ['audit list server.ts twice', 'one file is required'],
  ['audit list server.ts --first 0', '--first is a number from 1 to 1000'],
  ['audit verify server.ts --checkpoints absent', 'the file absent cannot be read'],
  ['audit verify server.ts --checkpoints nothing-kept', 'the file nothing-kept has no checkpoint'],
  ['audit list server.ts --after x', '--after is the cursor at the end of a page'],
  ['audit export server.ts --all', "Unknown option '--all'"],
  ['audit prune server.ts', '--before is required'],
  ['audit prune server.ts --before yesterday', '--before is required'],
  ['audit prune server.ts --before 2999-01-01', '--before is a time in the past'],
])('latchkey %s is wrong usage: exit code 2', async (line, words) => {
  const outcome = await run(line)
  expect(outcome).toMatchObject({ exitCode: 2, stdout: '' })
  expect(outcome.stderr).toContain(words)
})

test('audit commands refuse a service without an audit log, and stores in memory', async () => {
  expect(await run('audit list without.ts')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('The stores of without.ts have no audit log.'),
  })
  expect(await run('audit prune memory.ts --before 2021-01-01')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('in memory'),
  })
})

test('decisions are listed once, newest first, and no content of an entry moves the cursor', async () => {
  const { stdout, exitCode } = await run('audit list server.ts')
  expect(exitCode).toBe(0)
  const lines = stdout.split('\n').map((line) => line.split(/ {2,}/).slice(1, 5))
  expect(lines.slice(0, 4)).toEqual([
    ['Kind', 'State', 'Account', 'By'],
    ['account.deleted', 'unknown', 'acc_?[2J', 'acc_ben'],
    ['password.changed', 'done', 'acc_ada', 'acc_ben'],
    ['account.created', 'done', 'acc_ada', 'acc_ben'],
  ])
  const page = JSON.parse((await run('audit list server.ts --account acc_ada --first 1 --json')).stdout)
  expect(page.items).toMatchObject([{ kind: 'password.changed', address: '192.0.2.7', requestId: 'req_1' }])
  const next = await latchkey(['audit', 'list', 'server.ts', '--account', 'acc_ada', '--after', page.cursor, '--json'])
  expect(JSON.parse(next.stdout).items).toMatchObject([{ kind: 'account.created', state: 'done' }])
})

/** The log agrees with itself, which one that was emptied with its heads does, too. */
function expectNotCompared({ exitCode, stdout }: { exitCode: number | null; stdout: string }, rows: RegExp): void {
  expect(exitCode).toBe(3)
  expect(stdout).toMatch(/^The log is consistent\.$/m)
  expect(stdout).toMatch(/^No checkpoint was given: /m)
  expect(stdout).toMatch(rows)
}

test('a log is verified, also by exported checkpoints, and tampering is named', async () => {
  const exported = await run('audit export server.ts')
  expect(exported).toMatchObject({ exitCode: 0, stderr: '' })
  expect(JSON.parse((await run('audit export server.ts --json')).stdout).checkpoints).toHaveLength(1)
  write('checkpoints', `${exported.stdout}\n`)
  const sound = await run('audit verify server.ts --checkpoints checkpoints')
  expect(sound).toMatchObject({ exitCode: 0, stderr: '' })
  expect(sound.stdout).toContain('The log is as it was written.')
  expect(sound.stdout).toContain('decisions with an unknown outcome: 1.')
  expect(sound.stdout).not.toContain('No checkpoint')
  const whole = await run('audit verify server.ts --checkpoints checkpoints --json')
  expect([whole.exitCode, JSON.parse(whole.stdout)]).toMatchObject([0, { ok: true, compared: true, chains: 2 }])

  tamper("create table kept as select * from latchkey_audit; delete from latchkey_audit where state = 'done'")
  const { exitCode, stdout } = await run('audit verify server.ts')
  expect(exitCode).toBe(1)
  expect(stdout.match(/^Row \d of the chain [\w-]{22} was removed\.$/gm)).toHaveLength(2)
  tamper(
    'delete from latchkey_audit; create table heads as select * from latchkey_audit_heads; delete from latchkey_audit_heads',
  )
  expectNotCompared(await run('audit verify server.ts'), /^Rows: 0, processes: 0,/m)
  const empty = await run('audit verify server.ts --json')
  expect([empty.exitCode, JSON.parse(empty.stdout)]).toMatchObject([3, { ok: true, compared: false, rows: 0 }])
  const emptied = await run('audit verify server.ts --checkpoints checkpoints --json')
  expect([emptied.exitCode, JSON.parse(emptied.stdout).findings]).toMatchObject([
    1,
    [{ code: 'chain.missing' }, { code: 'chain.missing' }],
  ])
  tamper(
    'insert into latchkey_audit select * from kept; delete from latchkey_audit_heads; insert into latchkey_audit_heads select * from heads',
  )
  expect((await run('audit verify server.ts --checkpoints checkpoints')).exitCode).toBe(0)
})

test('old rows are pruned, and the remaining rows pass verification', async () => {
  expect(await run('audit prune server.ts --before 2019-01-01')).toMatchObject({
    exitCode: 0,
    stdout: '0 rows removed.\n',
  })
  const { exitCode, stdout } = await run('audit prune server.ts --before 2021-01-01T00:00:00Z --json')
  expect([exitCode, JSON.parse(stdout)]).toEqual([0, { rows: 3, chains: 1 }])
  const verified = await run('audit verify server.ts')
  expectNotCompared(verified, /^Rows: [1-9]/m)
  expect(verified.stdout).toContain('Rows from before 2021-01-01T00:00:00.000Z may have been removed.')
  expect(JSON.parse((await run('audit list server.ts --json')).stdout).items).toHaveLength(2)
})
