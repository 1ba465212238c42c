import { execFileSync, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createCommandProject, type Outcome } from '../support/run-latchkey.ts'

// Where others use the machine too, a process takes many times as long as alone.
vi.setConfig({ testTimeout: 240_000 })

const project = createCommandProject()
const { latchkey, latchkeyAlone, node, write } = project
const password = 'otters read quietly at dawn'

/** Mails go to the terminal, or where the database says so to a folder, which for one of them is a file. */
const mailerOf = (database: string) => {
  if (!database.startsWith('mailed')) return 'createTerminalMailer()'
  return `createFileMailer({ directory: '${database.includes('broken') ? 'secret' : 'mails'}' })`
}

const serverFile = (database: string) => `
import { appendFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { definePolicy } from '@latchkey/rbac'
import { createServer, createTerminalMailer, type Server } from '@latchkey/server'
import { createFileMailer, createFileSecrets } from '@latchkey/server/node'
import { createSqliteStores } from '@latchkey/sql'
export const server: Server = createServer({
  baseUrl: 'http://127.0.0.1:4000',
  mails: { mailer: ${mailerOf(database)}, maxDelayMs: 0 },
  secrets: createFileSecrets({ path: 'secret' }),
  stores: createSqliteStores({ database: () => new DatabaseSync('${database}') }),
  signUp: 'closed',
  policy: definePolicy({ permissions: ['notes:write'], roles: { READER: {}, ADMIN: { permissions: ['notes:write'] } } }),
  typeDefs: 'type Query { note: String! @public }',
  resolvers: {},
  observe: { onEvent: (event) => appendFileSync('${database}.log', JSON.stringify(event) + '\\n') },
})`

/** Stores a second factor of an account, as a service that offers them does. */
const enrollFile = (id: string) => `
import { server } from './server.ts'
const { stores } = server
await stores.documents.insert({ collection: 'factor-totp', id: '${id}', owner: '${id}', version: '1', value: 'sealed' })
await stores.accounts.replace('${id}', {}, { enrolled: ['totp'] })
await server.close()
`

/** Signs in with what a command has set, and prints what came of it. */
const signInFile = (email: string) => `
import { unknownAttempt as attempt } from '@latchkey/accounts'
import { server } from './server.ts'
const accounts = await server.accounts()
const device = { userAgent: null, address: null }
const result = await accounts.signIn({ email: '${email}', password: '${password}', delivery: 'session', device, attempt })
const open = result.ok ? await accounts.listSessions(result.account.id) : []
console.log(JSON.stringify({ ok: result.ok, roles: result.account?.roles, open: open.length }))
await server.close()
`

const create = (args: readonly string[], input: string) =>
  latchkey(['accounts', 'create', 'server.ts', ...args], {}, input)

async function signIn(email: string): Promise<unknown> {
  write('sign-in.ts', signInFile(email))
  const { stdout, stderr } = await node('sign-in.ts')
  if (stderr !== '') throw new Error(stderr)
  return JSON.parse(stdout)
}

const eventsOf = (database: string): readonly { readonly type: string }[] =>
  readFileSync(join(project.folder, `${database}.log`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

beforeAll(async () => {
  write('server.ts', serverFile('app.db'))
  write('empty.ts', serverFile('empty.db'))
  write('mailed.ts', serverFile('mailed.db'))
  write('broken.ts', serverFile('mailed-broken.db'))
  for (const file of ['server.ts', 'empty.ts', 'mailed.ts', 'broken.ts']) {
    const { exitCode, stderr } = await latchkey(['migrate', file])
    if (exitCode !== 0) throw new Error(stderr)
  }
}, 240_000)

afterAll(project.remove)

test.concurrent.each(['list', 'create', 'set-role', 'lock', 'unlock', 'disable', 'enable', 'reset-factors'])(
  'latchkey accounts %s --help prints only its help',
  async (verb) => {
    const outcome = await latchkey(['accounts', verb, 'absent.ts', '--help'])
    expect(outcome).toMatchObject({ exitCode: 0, stderr: '' })
    expect(outcome.stdout).toContain(`usage: latchkey accounts ${verb} <file>`)
    expect(outcome.stdout).toContain('Exit code')
  },
)

test.concurrent.each([
  ['create server.ts --role ADMIN', 'one file is required', 'accounts create --help'],
  ['create --role ADMIN', 'one address is required', 'accounts create --help'],
  ['create server.ts ada@example.com', '--role is required', 'accounts create --help'],
  ['create server.ts ada@example.com --role ADMIN --password x', "Unknown option '--password'", 'create --help'],
  ['create server.ts more.ts --email ada@example.com --role ADMIN', 'one address is required', 'create --help'],
  ['create server.ts --email ada@example.com --invite', '--role is required', 'accounts create --help'],
  ['lock server.ts', 'and one account', 'accounts lock --help'],
  ['unlock server.ts a b', 'and one account', 'accounts unlock --help'],
  ['set-role server.ts', 'an account and a role are required', 'accounts set-role --help'],
  ['set-role server.ts a b c', 'and one account', 'accounts set-role --help'],
  ['disable', 'and one account', 'accounts disable --help'],
  ['list server.ts more.ts', 'one file is required', 'accounts list --help'],
])('latchkey accounts %s exits with 2, and prints the problem and the next step', async (line, wrong, next) => {
  const { exitCode, stdout, stderr } = await latchkey(['accounts', ...line.split(' ')], {}, `${password}\n`)
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
  expect(stderr).toContain(wrong)
  expect(stderr).toContain(next)
})

test('the first administrator is created, listed, given a role, disabled and enabled, and each is an event', async () => {
  expect(await latchkey(['accounts', 'list', 'empty.ts'])).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^There are no accounts yet/),
  })
  const words = ['Ada@Example.com', '--role', 'ADMIN', '--name', 'Ada', '--json']
  const created = await latchkeyAlone(['accounts', 'create', 'server.ts', ...words], {}, `${password}\n`)
  expect(created.exitCode).toBe(0)
  const account = JSON.parse(created.stdout)
  expect(account).toEqual({
    id: expect.stringMatching(/^acc_/),
    email: 'ada@example.com',
    name: 'Ada',
    roles: ['ADMIN'],
    status: 'active',
  })
  expect(await signIn('ada@example.com')).toEqual({ ok: true, roles: ['ADMIN'], open: 1 })
  expect(JSON.parse((await latchkey(['accounts', 'list', 'server.ts', '--json'])).stdout)).toEqual([account])
  expect((await latchkey(['accounts', 'list', 'server.ts'])).stdout).toMatch(
    /^Account +Email +Name +Roles +Status\nacc_\S+ +ada@example\.com +Ada +ADMIN +active\n$/,
  )

  const changed = await latchkey(['accounts', 'set-role', 'server.ts', 'ada@example.com', 'READER'])
  expect(changed).toEqual({
    exitCode: 0,
    stdout: `${account.id} has the role READER. Its sessions and tokens are revoked.\n`,
    stderr: '',
  })
  // The session of the first sign-in is not among the open ones.
  expect(await signIn('ada@example.com')).toEqual({ ok: true, roles: ['READER'], open: 1 })
  const disabled = await latchkey(['accounts', 'disable', 'server.ts', account.id, '--json'])
  expect(JSON.parse(disabled.stdout)).toEqual({ ...account, roles: ['READER'], status: 'disabled' })
  expect(await signIn('ada@example.com')).toMatchObject({ ok: false })
  expect((await latchkey(['accounts', 'enable', 'server.ts', account.id])).stdout).toBe(`${account.id} is enabled.\n`)
  expect(await signIn('ada@example.com')).toEqual({ ok: true, roles: ['READER'], open: 1 })

  const events = eventsOf('app.db').filter(({ type }) => /^account|^role/.test(type))
  expect(events.map(({ type }) => type)).toEqual([
    'account.created',
    'role.changed',
    'account.disabled',
    'account.enabled',
  ])
  expect(events[0]).toMatchObject({
    type: 'account.created',
    accountId: account.id,
    roles: ['ADMIN'],
    at: expect.any(Number),
  })
})

test('a user without the second factor signs in by password after a reset of the factors, which emits an event', async () => {
  const { stdout } = await create(['lost@example.com', '--role', 'READER', '--json'], `${password}\n`)
  const { id } = JSON.parse(stdout)
  write('enroll.ts', enrollFile(id))
  expect((await node('enroll.ts')).stderr).toBe('')
  expect(await signIn('lost@example.com')).toMatchObject({ ok: false, open: 0 })
  expect(await latchkey(['accounts', 'reset-factors', 'server.ts', 'lost@example.com'])).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining(
      `${id} has no second factors and no links to providers. Its sessions and tokens are revoked.\n`,
    ),
  })
  expect(await signIn('lost@example.com')).toEqual({ ok: true, roles: ['READER'], open: 1 })
  expect(eventsOf('app.db')).toContainEqual(
    expect.objectContaining({ type: 'factor.removed', accountId: id, factor: 'totp' }),
  )
  const again = await latchkey(['accounts', 'reset-factors', 'server.ts', 'nobody@example.com'])
  expect([again.exitCode, again.stderr]).toEqual([1, expect.stringContaining('The account does not exist')])
})

test('lock mails the owner, unlock reverts it, and both refuse accounts in another state', async () => {
  const { stdout } = await create(['--email', 'mia@example.com', '--role', 'READER', '--json'], `${password}\n`)
  const { id } = JSON.parse(stdout)
  expect(await signIn('mia@example.com')).toMatchObject({ ok: true, open: 1 })
  const locked = await latchkey(['accounts', 'lock', 'server.ts', 'mia@example.com'])
  expect(locked).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Mail to mia@example.com') })
  expect(locked.stdout).toContain(`${id} is locked. Its sessions and tokens are revoked.\n`)
  expect(await signIn('mia@example.com')).toMatchObject({ ok: false, open: 0 })
  expect(await latchkey(['accounts', 'enable', 'server.ts', id])).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: 'The account is still locked.\nNothing was changed.\n',
  })
  const unlocked = await latchkey(['accounts', 'unlock', 'server.ts', id, '--json'])
  expect(JSON.parse(unlocked.stdout)).toMatchObject({ id, status: 'active' })
  // Once more changes nothing, and is no failure.
  expect(await latchkey(['accounts', 'unlock', 'server.ts', id])).toMatchObject({ exitCode: 0 })
  expect(await signIn('mia@example.com')).toMatchObject({ ok: true, open: 1 })
  const events = eventsOf('app.db').filter((event) => 'accountId' in event && event.accountId === id)
  expect(events.map(({ type }) => type).filter((type) => /^account\.(?!created)/.test(type))).toEqual([
    'account.locked',
    'account.unlocked',
  ])
})

test('an invited account has no password until its owner follows the link of the mail', async () => {
  const words = ['--email', 'Ida@Example.com', '--name', 'Ida', '--role', 'READER', '--invite', '--json']
  const invited = await latchkey(['accounts', 'create', 'mailed.ts', ...words], {}, `${password}\n`)
  expect(invited).toMatchObject({ exitCode: 0, stderr: '' })
  const { id } = JSON.parse(invited.stdout)
  const folder = join(project.folder, 'mails')
  const mails = readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')))
  expect(mails).toMatchObject([{ kind: 'choose-password', to: 'ida@example.com' }])
  expect(mails[0].url).toMatch(/^http:\/\/127\.0\.0\.1:4000\/reset\?token=/)
  expect(invited.stdout).not.toContain('token=')
  expect(eventsOf('mailed.db')).toMatchObject([{ type: 'account.created', accountId: id, channel: 'command' }])

  const again = await latchkey(['accounts', 'create', 'mailed.ts', ...words])
  expect([again.exitCode, again.stderr]).toEqual([1, expect.stringContaining('An account with this address exists')])
  expect(readdirSync(folder)).toHaveLength(1)
})

test('an invitation whose mail fails exits with 1, and prints that the account exists', async () => {
  const words = ['--email', 'ida@example.com', '--role', 'READER', '--invite']
  const { exitCode, stdout, stderr } = await latchkey(['accounts', 'create', 'broken.ts', ...words])
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
  expect(stderr).toContain('The account was created, and its mail could not be sent: EEXIST.')
  expect(stderr).not.toContain('ida@example.com')
  expect(JSON.parse((await latchkey(['accounts', 'list', 'broken.ts', '--json'])).stdout)).toMatchObject([
    { email: 'ida@example.com', status: 'active' },
  ])
})

test('invalid input for an account exits with 1, and stores no account', async () => {
  expect((await create(['ben@example.com', '--role', 'READER'], `${password}\n`)).exitCode).toBe(0)
  const before = (await latchkey(['accounts', 'list', 'server.ts', '--json'])).stdout
  const refusals: readonly (readonly [Outcome, string])[] = [
    [await create(['eve@example.com', '--role', 'OWNER'], password), 'not a role of the policy'],
    [await create(['eve@example.com', '--role', 'ADMIN'], 'short\n'), 'too short'],
    [await create(['eve@example.com', '--role', 'ADMIN'], ''), 'A password is required'],
    [await create(['eve@example.com', '--role', 'ADMIN'], `${password}\n${password}\n`), 'more than one line'],
    [await create(['eve@example.com', '--role', 'OWNER', '--invite'], ''), 'not a role of the policy'],
    [await create(['eve@example.com', '--role', 'ADMIN'], 'x'.repeat(9_000)), 'too long for a password'],
    [await create(['eve', '--role', 'ADMIN'], `${password}\n`), 'Enter a valid email.'],
    [await create(['Ben@example.com', '--role', 'ADMIN'], `${password}\n`), 'An account with this address exists'],
    [await latchkey(['accounts', 'set-role', 'server.ts', 'ben@example.com', 'OWNER']), 'Its roles: READER, ADMIN'],
    [await latchkey(['accounts', 'disable', 'server.ts', 'eve@example.com']), 'The account does not exist'],
  ]
  for (const [{ exitCode, stdout, stderr }, words] of refusals) {
    expect({ exitCode, stdout, isExplained: stderr.includes(words) }, words).toEqual({
      exitCode: 1,
      stdout: '',
      isExplained: true,
    })
    expect(stderr).not.toContain(password)
  }
  expect((await latchkey(['accounts', 'list', 'server.ts', '--json'])).stdout).toBe(before)
})

/** A terminal of its own for a command, by the `script` of Debian's bsdutils. */
function hasTerminals(): boolean {
  try {
    return execFileSync('script', ['--version'], { encoding: 'utf8' }).includes('util-linux')
  } catch {
    return false
  }
}

/** Types each line once the question before it is there. */
async function typeInto(args: readonly string[], lines: readonly [question: string, line: string][]) {
  const line = [...project.command, ...args].map((word) => `'${word}'`).join(' ')
  const child = spawn('script', ['--quiet', '--return', '--command', line, '/dev/null'], { cwd: project.folder })
  let shown = ''
  child.stdout.on('data', (chunk) => {
    shown += chunk
  })
  const errors = text(child.stderr)
  for (const [question, typed] of lines) {
    await vi.waitFor(() => expect(shown).toContain(question), 120_000)
    child.stdin.write(typed)
  }
  const exitCode = await new Promise((resolve) => child.once('exit', resolve))
  return { exitCode, shown: shown + (await errors) }
}

test.skipIf(!hasTerminals())(
  'the password is asked for at a terminal, twice, and never shown (skipped where there is no script of util-linux)',
  async () => {
    const args = (email: string) => ['accounts', 'create', 'empty.ts', email, '--role', 'ADMIN']
    const typed = await typeInto(args('cleo@example.com'), [
      ['Password: ', `${password}\r`],
      ['Repeat it: ', `${password}\r`],
    ])
    expect(typed).toEqual({ exitCode: 0, shown: expect.stringContaining('can sign in with the role ADMIN') })
    expect(typed.shown).not.toContain('otters')
    const different = await typeInto(args('dan@example.com'), [
      ['Password: ', `${password}\r`],
      ['Repeat it: ', 'another one\r'],
    ])
    expect(different).toEqual({ exitCode: 1, shown: expect.stringContaining('The two passwords are not the same') })
    const broken = await typeInto(args('dan@example.com'), [['Password: ', '\u0003']])
    expect(broken).toEqual({ exitCode: 1, shown: expect.stringContaining('No password was entered') })
    const listed = JSON.parse((await latchkey(['accounts', 'list', 'empty.ts', '--json'])).stdout)
    expect(listed.map(({ email }: { readonly email: string }) => email)).toEqual(['cleo@example.com'])
  },
)
