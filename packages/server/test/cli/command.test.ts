import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { storedVersion } from '@latchkey/store/internal'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createCommandProject, type Outcome } from '../support/run-latchkey.ts'

// Where others use the machine too, a process takes many times as long as alone.
vi.setConfig({ testTimeout: 180_000 })

const project = createCommandProject()
const { folder, latchkey, latchkeyAlone, write } = project

/** A project's server, in TypeScript, on a SQLite file of its own. */
function serverFile(typeDefs: string): string {
  return `
import { DatabaseSync } from 'node:sqlite'
import { definePolicy } from '@latchkey/rbac'
import { createServer, createTerminalMailer, type Server } from '@latchkey/server'
import { createFileSecrets } from '@latchkey/server/node'
import { createSqliteStores } from '@latchkey/sql'
export const server: Server = createServer({
  baseUrl: 'http://127.0.0.1:4000',
  mails: { mailer: createTerminalMailer() },
  secrets: createFileSecrets({ path: 'secret' }),
  stores: createSqliteStores({ database: () => new DatabaseSync('app.db') }),
  signUp: { role: 'MEMBER' },
  policy: definePolicy({ permissions: ['notes:read'], roles: { MEMBER: { permissions: ['notes:read'] } } }),
  typeDefs: \`${typeDefs}\`,
  resolvers: {},
})`
}

const storesFile = (database: string) => `
import { DatabaseSync } from 'node:sqlite'
import { createSqliteStores } from '@latchkey/sql'
export const stores = createSqliteStores({ database: () => new DatabaseSync('${database}') })`

const accessFile = (rules: string, errors = '{}') => `
import { compileAccess } from '@latchkey/graphql'
import { definePolicy } from '@latchkey/rbac'
import { buildSchema } from 'graphql'
const policy = definePolicy({ permissions: ['notes:read'], roles: { READER: { permissions: ['notes:read'] } } })
const schema = buildSchema('type Query { health: String, note: String }')
export const access = compileAccess({ schema, policy, rules: ${rules}, errors: ${errors} })`

/** What `latchkey access` says of the server. */
let access: Outcome

beforeAll(async () => {
  write('server.ts', serverFile('type Query { note: String! @requires(permissions: "notes:read") }'))
  write('gap.ts', serverFile('type Query { note: String!, open: String @public }'))
  write('tables.ts', storesFile('app.db'))
  write('lost.ts', storesFile('no-such-folder/app.db'))
  write('access.ts', accessFile("{ 'Query.health': 'public', 'Query.note': { permissions: 'notes:read' } }"))
  const open = "{ 'Query.health': 'public', 'Query.note': 'public' }"
  write('errors.ts', accessFile(open, "{ OUT_OF_STOCK: { expose: ['left'] }, BAD_USER_INPUT: { expose: ['max'] } }"))
  write('other-errors.ts', accessFile(open, "{ OUT_OF_STOCK: { status: 409 }, BAD_USER_INPUT: { expose: ['max'] } }"))
  write('throwing.ts', "throw new TypeError('broken')\n")
  write('looser.ts', accessFile("{ 'Query.health': 'public', 'Query.note': 'public' }"))
  write('neither.ts', 'export const answer = 42\nexport const server = { listen() {} }\n')
  write('memory.ts', 'export const stores = { records: {}, close() {} }\n')
  mkdirSync(join(folder, 'commonjs'))
  write('commonjs/package.json', '{ "type": "commonjs" }')
  write('markup.tsx', 'export const access = null\n')
  write('enum.ts', 'export enum Colour { Red }\n')
  write(
    'listening.ts',
    `import { createServer } from 'node:http'\ncreateServer().listen(0)\nexport * from './access.ts'\n`,
  )
  write('rejecting.ts', `void Promise.reject(new Error('the port is taken'))\nawait new Promise(() => {})\n`)
  access = await latchkeyAlone(['access', 'server.ts'])
})

afterAll(project.remove)

test('the compile cache of a command is kept in node_modules, unless it is switched off', () => {
  const kept = join(folder, 'node_modules/.cache/latchkey')
  const { NODE_COMPILE_CACHE: _folder, NODE_DISABLE_COMPILE_CACHE: _off, ...env } = process.env
  const [program, ...args] = project.command
  const run = (more: NodeJS.ProcessEnv) =>
    execFileSync(program, [...args, '--help'], { cwd: folder, env: { ...env, ...more } })
  run({ NODE_DISABLE_COMPILE_CACHE: '1' })
  expect(existsSync(kept)).toBe(false)
  run({})
  expect(readdirSync(kept, { recursive: true }).length).toBeGreaterThan(10)
})

/** Runs `latchkey --help` where `process.versions.node` is this version. */
function helpIn(version: string): Promise<Outcome> {
  const versions = `{ value: { ...process.versions, node: '${version}' } }`
  const [program, ...args] = project.command
  const preload = `data:text/javascript,Object.defineProperty(process, 'versions', ${versions})`
  return new Promise((resolve) => {
    execFile(program, ['--import', preload, ...args, '--help'], { cwd: folder }, (error, stdout, stderr) =>
      resolve({ exitCode: Number(error?.code ?? 0), stdout, stderr }),
    )
  })
}

test.concurrent.each(['18.20.8', '20.20.2', '22.17.1'])(
  'latchkey in Node.js %s runs no command, and prints the version that it needs and how to add it',
  async (version) => {
    expect(await helpIn(version)).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: [
        `latchkey needs Node.js 22.18 or later, and this is ${version}.`,
        'Install a newer one, or add it to this project, where npx and the scripts of npm find it: npm install --loglevel error node@24',
        '',
      ].join('\n'),
    })
  },
)

test.concurrent.each(['22.18.0', '24.0.0', '100.1.0'])('latchkey in Node.js %s runs the command', async (version) => {
  expect(await helpIn(version)).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('usage: latchkey') })
})

test.concurrent.each([
  ['--help', 'usage: latchkey <command>'],
  ['access --help', 'usage: latchkey access <file>'],
  ['migrate server.ts --help', 'usage: latchkey migrate <file>'],
  ['keys rotate --help', 'usage: latchkey keys rotate <file>'],
  ['password calibrate -h', 'usage: latchkey password calibrate'],
])('latchkey %s prints only its help', async (line, words) => {
  expect(await latchkey(line.split(' '))).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining(words),
    stderr: '',
  })
})

test.concurrent.each([
  ['', 'a command is required', 'usage: latchkey <command>'],
  ['password', 'unknown command "password"', 'latchkey password calibrate'],
  ['acces server.ts', 'unknown command "acces server.ts"', 'latchkey access'],
  ['access', 'one file is required', 'latchkey access --help'],
  ['access server.ts gap.ts', 'one file is required', 'latchkey access --help'],
  ['access absent.ts', 'the file absent.ts does not exist', 'the file that exports your server'],
  ['access node_modules', 'node_modules is not a file', 'the file that exports your server'],
  ['access neither.ts', 'exports answer, server', 'export const server = createServer('],
  ['access access.ts --chek x', "Unknown option '--chek'", 'latchkey access --help'],
  ['access access.ts --check a --write b', 'one compares, the other replaces', 'latchkey access --help'],
  ['access access.ts --html --json', '--json and --html cannot be used together', 'latchkey access --help'],
  ['access access.ts --check a --markdown', 'as text or with --json', 'latchkey access --help'],
  ['access access.ts --check absent.txt', 'absent.txt cannot be read', 'latchkey access access.ts --write absent.txt'],
  ['access access.ts --check gap.ts', 'gap.ts is not a report', 'a file that --write stored'],
  ['access access.ts --write gap.ts', 'gap.ts is not a report, and would be overwritten', 'Use a new file'],
  ['migrate neither.ts', 'exports answer, server', 'export const server = createServer('],
  ['migrate memory.ts', 'have no "migrate"', '@latchkey/sql'],
  ['migrate memory.ts --print', 'have no "migrationSql"', '@latchkey/sql'],
  ['keys', 'unknown command "keys"', 'latchkey keys rotate'],
  ['keys rotate', 'one file is required', 'latchkey keys rotate --help'],
  ['keys rotate tables.ts', 'exports stores', 'export const server = createServer('],
  ['password calibrate --target-ms 0', 'from 1 to 10000', 'latchkey password calibrate --help'],
  ['password calibrate --target-ms 12abc', 'from 1 to 10000', 'latchkey password calibrate --help'],
])(
  'latchkey %s with wrong arguments exits with 2, and prints the problem and the next step',
  async (line, wrong, next) => {
    const { exitCode, stdout, stderr } = await latchkey(line.split(' ').filter(Boolean))
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toContain(wrong)
    expect(stderr).toContain(next)
    expect(stderr).not.toMatch(/^\s+at /m)
  },
)

test.concurrent('a field without a rule is named, with exit 1 and no stack', async () => {
  expect(await latchkey(['access', 'gap.ts'])).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: [
      'gap.ts cannot be imported.',
      'the access cannot be compiled:',
      '  Query.note: has no rule',
      'Give each field a rule of its own: @public, @authenticated, @requires(permissions: …) or @owner(…).',
      `Or write it in "rules": 'Query.note': 'public', 'authenticated' or { permissions: … }.`,
      'LATCHKEY_DEBUG=1 prints where this was thrown.',
      '',
    ].join('\n'),
  })
})

test.concurrent('the stack of an error is printed with LATCHKEY_DEBUG=1', async () => {
  const { exitCode, stderr } = await latchkeyAlone(['access', 'throwing.ts'], { LATCHKEY_DEBUG: '1' })
  expect(exitCode).toBe(1)
  expect(stderr).toMatch(/^TypeError: broken/m)
  expect(stderr).toMatch(/^\s+at .*throwing\.ts:/m)
})

test.concurrent.each([
  ['enum.ts', 'use the built file'],
  ['markup.tsx', 'Node.js imports .js, .mjs, .ts and .mts: use one of these, or the built file.'],
  ['rejecting.ts', 'the port is taken'],
])('%s, which fails when it is imported, exits with a message', async (file, words) => {
  const { exitCode, stderr } = await latchkeyAlone(['access', file])
  expect(exitCode).toBe(1)
  expect(stderr).toContain(words)
  expect(stderr).not.toMatch(/^\s+at /m)
})

test.concurrent.each([
  ['import', "import { ok } from 'node:assert'\nok(1)\n"],
  ['export', 'export const server = null\n'],
  ['await', 'await 1\nexport const server = null\n'],
  ['meta', 'const here = import.meta.url\nexport { here }\n'],
])('a module that package.json makes CommonJS exits with the setting to change: %s', async (name, text) => {
  write(`commonjs/${name}.ts`, text)
  const { exitCode, stderr } = await latchkeyAlone(['access', `commonjs/${name}.ts`])
  expect(exitCode).toBe(1)
  expect(stderr).toContain(
    'Node.js read it as CommonJS: npm pkg set type=module, or give the file a name that ends with .mts.\n',
  )
})

test('latchkey access prints the permissions per field of a server, without opening it', () => {
  const { exitCode, stdout, stderr } = access
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  expect(existsSync(join(folder, 'secret'))).toBe(false)
  expect(stdout).toMatch(/^Coordinate +Rule +anonymous +MEMBER +third party without scopes$/m)
  expect(stdout).toMatch(/^Query\.note +notes:read +401 +yes +403$/m)
  expect(stdout).toMatch(/^(\d+) coordinates, \1 rules, 0 gaps$/m)
})

test.concurrent('latchkey access --json prints the rows for a program, also of a file that keeps listening', async () => {
  const { exitCode, stdout } = await latchkeyAlone(['access', 'listening.ts', '--json'])
  expect(exitCode).toBe(0)
  const outcomes = { anonymous: '401', READER: 'yes', 'third party without scopes': '403' }
  const note = { coordinate: 'Query.note', rule: 'notes:read', outcomes }
  expect(JSON.parse(stdout)).toEqual({
    errors: [],
    columns: Object.keys(outcomes),
    rows: expect.arrayContaining([note]),
  })
})

test.concurrent('a stored report with other spaces is equal, and the difference of a looser rule is printed', async () => {
  const written = await latchkey(['access', 'access.ts', '--write', 'access.txt'])
  expect(written).toMatchObject({ exitCode: 0, stderr: 'wrote access.txt\n' })
  const stored = readFileSync(join(folder, 'access.txt'), 'utf8')
  expect(written.stdout).toBe(`${stored}3 coordinates, 3 rules, 0 gaps\n`)

  write('wide.txt', stored.replaceAll('  ', '      ').replaceAll('\n', '\r\n'))
  expect(await latchkey(['access', 'access.ts', '--check', 'wide.txt'])).toEqual({
    exitCode: 0,
    stdout: '3 coordinates, 3 rules, 0 gaps, the same as in wide.txt\n',
    stderr: '',
  })
  const [text, json] = await Promise.all([
    latchkey(['access', 'looser.ts', '--check', 'access.txt']),
    latchkey(['access', 'looser.ts', '--check', 'access.txt', '--json']),
  ])
  expect(text).toEqual({
    exitCode: 1,
    stdout: [
      '  Coordinate    Rule     anonymous  READER  third party without scopes',
      '- Query.note    notes:read  401        yes     403',
      '+ Query.note    public   yes        yes     yes',
      '',
    ].join('\n'),
    stderr: 'The access differs from access.txt. If that is intended: latchkey access looser.ts --write access.txt\n',
  })
  expect(json.exitCode).toBe(1)
  expect(JSON.parse(json.stdout).difference).toEqual({
    removed: ['Query.note    notes:read  401        yes     403'],
    added: ['Query.note    public   yes        yes     yes'],
  })
  expect(readFileSync(join(folder, 'access.txt'), 'utf8')).toBe(stored)
})

test.concurrent('latchkey access --markdown prints the matrix and the roles, and --check reads it again', async () => {
  const written = await latchkey(['access', 'access.ts', '--markdown', '--write', 'access.md'])
  expect(written).toEqual({ exitCode: 0, stdout: '3 coordinates, 3 rules, 0 gaps\n', stderr: 'wrote access.md\n' })
  const stored = readFileSync(join(folder, 'access.md'), 'utf8')
  expect(stored).toContain(
    [
      '| Coordinate | Rule | anonymous | READER | third party without scopes |',
      '| --- | --- | --- | --- | --- |',
      '| `Query.health` | public | yes | yes | yes |',
      '| `Query.note` | notes:read | 401 | yes | 403 |',
      '| `__schema` | refused | 401 | 403 | 403 |',
      '',
    ].join('\n'),
  )
  expect(stored).toContain('| Role | yes | own | step-up | null | 401 | 403 |\n| --- |')
  expect(stored).toContain('| anonymous | 1 | 0 | 0 | 0 | 2 | 0 |\n| READER | 2 | 0 | 0 | 0 | 0 | 1 |')

  // As a formatter aligns it.
  write('aligned.md', stored.replace(/ \|/g, '    |').replace(/\n/g, '\r\n'))
  expect(await latchkey(['access', 'access.ts', '--check', 'aligned.md'])).toMatchObject({ exitCode: 0, stderr: '' })
  expect(await latchkey(['access', 'looser.ts', '--check', 'access.md'])).toEqual({
    exitCode: 1,
    stdout: [
      '  Coordinate    Rule     anonymous  READER  third party without scopes',
      '- | `Query.note` | notes:read | 401 | yes | 403 |',
      '+ Query.note    public   yes        yes     yes',
      '',
    ].join('\n'),
    stderr:
      'The access differs from access.md. If that is intended: latchkey access looser.ts --write access.md --markdown\n',
  })
})

test.concurrent('a report that was stored as JSON is compared, too', async () => {
  expect(await latchkey(['access', 'access.ts', '--json', '--write', 'access.json'])).toMatchObject({ exitCode: 0 })
  expect(await latchkey(['access', 'access.ts', '--check', 'access.json'])).toMatchObject({ exitCode: 0 })
  const changed = await latchkey(['access', 'looser.ts', '--check', 'access.json', '--json'])
  expect(changed.exitCode).toBe(1)
  expect(JSON.parse(changed.stdout).difference).toEqual({
    removed: ['Query.note  notes:read  401  yes  403'],
    added: ['Query.note    public   yes        yes     yes'],
  })
})

test.concurrent('latchkey access has the declared error codes in every form, and --check compares them', async () => {
  const lines = ['Error code      Status    Exposed', 'BAD_USER_INPUT  built in  max', 'OUT_OF_STOCK    200       left']
  expect((await latchkey(['access', 'errors.ts'])).stdout).toContain(`\n\n${lines.join('\n')}\n`)
  const { stdout: page } = await latchkey(['access', 'errors.ts', '--html'])
  expect(page).toContain('<tr><th scope="row"><code>OUT_OF_STOCK</code></th><td>200</td><td>left</td></tr>')
  const { stdout: markdown } = await latchkey(['access', 'errors.ts', '--markdown'])
  expect(markdown).toContain(
    '| Error code | Status | Exposed |\n| --- | --- | --- |\n| `BAD_USER_INPUT` | built in | max |',
  )
  for (const form of [[], ['--markdown'], ['--json']]) {
    const file = `errors${form.join('')}.txt`
    await latchkey(['access', 'errors.ts', '--write', file, ...form])
    expect(await latchkey(['access', 'errors.ts', '--check', file])).toMatchObject({ exitCode: 0 })
    const changed = await latchkey(['access', 'other-errors.ts', '--check', file, '--json'])
    expect(changed.exitCode).toBe(1)
    const { removed, added } = JSON.parse(changed.stdout).difference
    expect(removed).toEqual([expect.stringMatching(/OUT_OF_STOCK.*200.*left/)])
    expect(added).toEqual(['OUT_OF_STOCK    409       none'])
  }
})

test.concurrent('latchkey access --html prints a single page without scripts and requests, with a header for every cell', async () => {
  const { exitCode, stdout } = await latchkey(['access', 'access.ts', '--html'])
  expect(exitCode).toBe(0)
  expect(stdout).toMatch(/^<!doctype html>\n<html lang="en">/)
  expect(stdout).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`)
  expect(stdout).not.toMatch(/<script|\bsrc=|\bhref=|url\(|@import|\son\w+=/)
  expect(stdout).toContain('<p class="coverage">3 coordinates, 3 rules, 0 gaps</p>')
  expect(stdout).toContain(
    '<tr><th scope="row"><code>Query.note</code></th><td class="rule">notes:read</td>' +
      '<td><span class="outcome o-401">401</span></td><td><span class="outcome o-yes">yes</span></td>' +
      '<td><span class="outcome o-403">403</span></td></tr>',
  )
  expect(stdout.match(/<table>/g)).toHaveLength(2)
  expect(stdout.match(/<caption>/g)).toHaveLength(2)
  expect(stdout).not.toMatch(/<th>/)
})

test.concurrent('a page can be written again, and --check refuses it', async () => {
  for (const _time of [1, 2]) {
    const written = await latchkey(['access', 'access.ts', '--html', '--write', 'access.html'])
    expect(written).toMatchObject({ exitCode: 0, stderr: 'wrote access.html\n' })
  }
  const checked = await latchkey(['access', 'access.ts', '--check', 'access.html'])
  expect(checked).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining('is an HTML page') })
  expect(checked.stderr).toContain('as text, as Markdown or as JSON')
})

test.concurrent('a field without a rule is exit 1 in every form', async () => {
  const { exitCode, stdout, stderr } = await latchkey(['access', 'gap.ts', '--html'])
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
  expect(stderr).toContain('Query.note: has no rule')
})

test.concurrent('latchkey migrate creates the tables once and prints from which version to which', async () => {
  const first = await latchkey(['migrate', 'server.ts', '--json'])
  expect(first).toMatchObject({ exitCode: 0, stderr: '' })
  const { from, to } = JSON.parse(first.stdout)
  expect({ from, isNewer: to > 0 }).toEqual({ from: 0, isNewer: true })
  expect(await latchkey(['migrate', 'tables.ts'])).toEqual({
    exitCode: 0,
    stdout: `The tables already have version ${to}.\n`,
    stderr: '',
  })
})

test.concurrent('latchkey migrate --finish lets services write values that the release before cannot read', async () => {
  write('finished.ts', serverFile('type Query { note: String! @public }').replaceAll('app.db', 'finished.db'))
  expect((await latchkey(['migrate', 'finished.ts'])).exitCode).toBe(0)
  const database = new DatabaseSync(join(folder, 'finished.db'))
  const insert = database.prepare('insert into latchkey_documents (collection, id, version, value) values (?, ?, ?, ?)')
  insert.run('settings', 'stored-version', 'w', '{"version":0}')
  database.close()
  const { exitCode, stdout } = await latchkey(['migrate', 'finished.ts', '--finish', '--json'])
  expect(exitCode).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ stored: { from: 0, to: storedVersion } })
  expect(await latchkey(['migrate', 'finished.ts', '--finish'])).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining(`Stored values already have version ${storedVersion}.\n`),
  })
})

test.concurrent('latchkey migrate --finish of an older release keeps a newer version', async () => {
  write('newer.ts', serverFile('type Query { note: String! @public }').replaceAll('app.db', 'newer.db'))
  expect((await latchkey(['migrate', 'newer.ts'])).exitCode).toBe(0)
  const database = new DatabaseSync(join(folder, 'newer.db'))
  const insert = database.prepare('insert into latchkey_documents (collection, id, version, value) values (?, ?, ?, ?)')
  insert.run('settings', 'stored-version', 'w', '{"version":99}')
  const { stdout } = await latchkey(['migrate', 'newer.ts', '--finish', '--json'])
  expect(JSON.parse(stdout)).toMatchObject({ stored: { from: 99, to: 99 } })
  expect(database.prepare('select value from latchkey_documents').all()).toMatchObject([{ value: '{"version":99}' }])
  database.close()
})

test.concurrent('latchkey migrate --print prints the SQL without opening a store', async () => {
  const { exitCode, stdout } = await latchkey(['migrate', 'lost.ts', '--print'])
  expect(exitCode).toBe(0)
  expect(stdout).toContain('create table latchkey_accounts')
})

test.concurrent('latchkey keys rotate lets a new key sign each time, and names it', async () => {
  write('keys.ts', serverFile('type Query { note: String! @public }').replaceAll('app.db', 'keys.db'))
  expect(await latchkey(['keys', 'rotate', 'keys.ts'])).toMatchObject({
    exitCode: 1,
    stdout: '',
    stderr: expect.stringContaining('The keys could not be rotated.'),
  })
  expect((await latchkey(['migrate', 'keys.ts'])).exitCode).toBe(0)
  const { keyId } = JSON.parse((await latchkey(['keys', 'rotate', 'keys.ts', '--json'])).stdout)
  const { exitCode, stdout, stderr } = await latchkey(['keys', 'rotate', 'keys.ts'])
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  const [, another] = /^The key (\S+) signs from now on;/.exec(stdout) ?? []
  expect(another).toMatch(/^[\w-]{16,}$/)
  expect(another).not.toBe(keyId)
})

test.concurrent('a database that cannot be opened is exit 1, with its reason and no stack', async () => {
  const { exitCode, stdout, stderr } = await latchkey(['migrate', 'lost.ts'])
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
  expect(stderr).toContain('The tables could not be migrated.\n')
  expect(stderr).toContain('unable to open database file')
  expect(stderr).toContain('Check the database that lost.ts opens')
  expect(stderr).not.toMatch(/^\s+at /m)
})

test('latchkey password calibrate never goes below the minimum, and warns if even that is slow', async () => {
  const { exitCode, stdout, stderr } = await latchkeyAlone(['password', 'calibrate', '--target-ms', '1', '--json'])
  expect(exitCode).toBe(0)
  expect(JSON.parse(stdout)).toEqual({
    targetMs: 1,
    parameters: { memoryKib: 19_456, iterations: 2, parallelism: 1 },
    hashMs: expect.any(Number),
    hashesPerSecond: expect.any(Number),
    concurrency: expect.any(Number),
    memoryKib: expect.any(Number),
    engine: expect.any(String),
    warning: expect.stringMatching(/^The minimum of OWASP takes \d+ ms/),
  })
  expect(stderr).toMatch(/^Measuring for about 1 s/)
  expect(stderr).toMatch(/^warning: The minimum of OWASP/m)
})

test('latchkey password calibrate prints the options to configure, and their cost', async () => {
  const { exitCode, stdout } = await latchkeyAlone(['password', 'calibrate', '--target-ms', '1'])
  expect(exitCode).toBe(0)
  expect(stdout).toMatch(/^Parameters +m=19456, t=2, p=1$/m)
  expect(stdout).toMatch(/^Memory +19 MiB for one hash, \d+ MiB for \d+ at once$/m)
  expect(stdout).toMatch(/^Rate +[\d.]+ logins per second with \d+ at once$/m)
  expect(stdout).toMatch(/^Engine +\S/m)
  expect(stdout).toContain('createPasswordHasher({ argon2id: { memoryKib: 19456, iterations: 2, parallelism: 1 } })')
})
