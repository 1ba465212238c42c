import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { buildSchema } from 'graphql'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createCommandProject } from '../support/run-latchkey.ts'

// Where others use the machine too, a process takes many times as long as alone.
vi.setConfig({ testTimeout: 240_000 })

const project = createCommandProject()
const { folder, latchkey, latchkeyAlone, write } = project

const serverFile = (stores: string) => `
import { createMemoryAccountStore } from '@latchkey/accounts'
import { definePolicy } from '@latchkey/rbac'
import { createServer, createTerminalMailer, type Server } from '@latchkey/server'
import { createFileSecrets } from '@latchkey/server/node'
import { createSqliteStores } from '@latchkey/sql'
import { createMemoryCounterStore, createMemoryDocumentStore, createMemoryRecordStore } from '@latchkey/store'
import { DatabaseSync } from 'node:sqlite'
const onDisk = createSqliteStores({ database: () => new DatabaseSync('app.db') })
const inMemory = {
  records: createMemoryRecordStore(),
  accounts: createMemoryAccountStore(),
  documents: createMemoryDocumentStore(),
  lockouts: createMemoryCounterStore(),
}
const stores = ${stores}
export const server: Server = createServer({
  baseUrl: 'http://127.0.0.1:4000',
  mails: { mailer: createTerminalMailer() },
  secrets: createFileSecrets({ path: 'secret' }),
  stores,
  signUp: 'closed',
  policy: definePolicy({ permissions: [], roles: { READER: {}, ADMIN: {} } }),
  typeDefs: 'type Query { note: String! @public }',
  resolvers: { Query: { note: () => 'A note' } },
})
// The account that a command names.
if (stores !== onDisk) {
  const account = { id: 'acc_ada', email: 'ada@example.com', name: 'Ada', roles: ['READER'], status: 'active', passwordHash: null, epoch: 0 } as const
  await stores.migrate?.()
  await stores.accounts.insert(account)
}
`

beforeAll(async () => {
  write('disk.ts', serverFile('onDisk'))
  write('memory.ts', serverFile("createSqliteStores({ database: () => new DatabaseSync(':memory:') })"))
  write('drafts.ts', serverFile('inMemory'))
  write('sessions.ts', serverFile('{ ...onDisk, isInMemory: undefined, records: inMemory.records }'))
  const { exitCode, stderr } = await latchkey(['migrate', 'disk.ts'])
  if (exitCode !== 0) throw new Error(stderr)
}, 240_000)

afterAll(project.remove)

const changes = [
  'keys rotate FILE',
  'keys generate FILE',
  'sessions revoke FILE ada@example.com',
  'accounts set-role FILE ada@example.com ADMIN',
  'accounts disable FILE ada@example.com',
  'accounts enable FILE ada@example.com',
  'accounts create FILE eve@example.com --role ADMIN',
]

describe('a command that changes something refuses stores in memory, where no running service would see it', () => {
  test.concurrent.each([
    ...changes.map((line) => line.replace('FILE', 'memory.ts')),
    'keys rotate drafts.ts',
    'sessions revoke drafts.ts ada@example.com',
    'accounts disable drafts.ts ada@example.com',
    'sessions revoke sessions.ts ada@example.com',
    'migrate memory.ts',
  ])('latchkey %s', async (line) => {
    const { exitCode, stdout, stderr } = await latchkey(line.split(' '), {}, 'otters read quietly at dawn\n')
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
    expect(stderr).toContain('are in memory: the change would be lost when the command ends')
    expect(stderr).toContain('Run it with the settings of the service')
  })

  test.concurrent.each([
    ['keys list memory.ts', /^There are no keys yet/],
    ['sessions list memory.ts acc_ada', /^No sessions are open/],
    ['accounts list drafts.ts', /ada@example\.com/],
    ['migrate memory.ts --print', /create table latchkey_accounts/],
  ])('is accepted if it only reads: latchkey %s', async (line, printed) => {
    expect(await latchkey(line.split(' '))).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(printed) })
  })

  test.concurrent('accepts a store in memory that it does not change: latchkey keys rotate sessions.ts', async () => {
    expect((await latchkey(['keys', 'rotate', 'sessions.ts'])).exitCode).toBe(0)
  })
})

test.concurrent.each(['--version', '-v'])('latchkey %s prints the version of the package', async (flag) => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  expect(await latchkeyAlone([flag])).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: '' })
})

test.concurrent('latchkey schema prints a valid schema with the account fields, without opening a store', async () => {
  write('lost.ts', serverFile('onDisk').replace("DatabaseSync('app.db')", "DatabaseSync('no-such-folder/app.db')"))
  const { exitCode, stdout, stderr } = await latchkey(['schema', 'lost.ts'])
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  const schema = buildSchema(stdout)
  expect(Object.keys(schema.getQueryType()?.getFields() ?? {})).toEqual(expect.arrayContaining(['note', 'viewer']))
  expect(schema.getType('Role')).toBeDefined()
  expect(existsSync(join(folder, 'no-such-folder'))).toBe(false)
})

test.concurrent('package.json may name the file', async () => {
  const named = createCommandProject()
  try {
    named.write('package.json', '{ "type": "module", "latchkey": { "server": "./src.ts" } }')
    named.write('src.ts', serverFile('onDisk'))
    expect((await named.latchkey(['migrate'])).exitCode).toBe(0)
    expect((await named.latchkey(['keys', 'rotate'])).stdout).toMatch(/^The key \S+ signs from now on/)
    expect(
      (
        await named.latchkey(
          ['accounts', 'create', 'ada@example.com', '--role', 'ADMIN'],
          {},
          'otters read quietly at dawn',
        )
      ).exitCode,
    ).toBe(0)
    expect((await named.latchkey(['sessions', 'list', 'ada@example.com'])).stdout).toBe('No sessions are open.\n')
    expect((await named.latchkey(['accounts', 'set-role', 'ada@example.com', 'READER'])).exitCode).toBe(0)
    expect((await named.latchkey(['schema'])).stdout).toContain('type Query')
    named.write('package.json', '{ "type": "module", "latchkey": { "server": "lost.ts" } }')
    expect(await named.latchkey(['keys', 'list'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('the file lost.ts does not exist'),
    })
  } finally {
    await named.remove()
  }
})

describe('latchkey serve', () => {
  /** Starts a service, and waits until it says where it listens. */
  async function start(command: readonly string[], env: Readonly<Record<string, string | undefined>> = {}) {
    const [program = '', ...args] = command
    const child = spawn(program, args, { cwd: folder, env: { ...process.env, ...env } })
    let printed = ''
    child.stdout.on('data', (chunk) => {
      printed += chunk
    })
    child.stderr.on('data', (chunk) => {
      printed += chunk
    })
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
    await vi.waitFor(() => expect(printed).toMatch(/^Latchkey is listening on .*\n/m), 120_000)
    const url = /http:\S+?\/graphql/.exec(printed)?.[0] ?? ''
    return { url, printed: () => printed, stop: () => child.kill('SIGTERM') && ended }
  }
  const ask = async (url: string): Promise<unknown> =>
    (
      await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"query":"{ note }"}',
      })
    ).json()
  /** Writes a server with its own database, whose `baseUrl` has a port that is free. */
  async function writeServer(file: string, host = '127.0.0.1'): Promise<string> {
    const probe = createServer().listen(0, '127.0.0.1')
    await once(probe, 'listening')
    const port = String((probe.address() as AddressInfo).port)
    probe.close()
    write(file, serverFile('onDisk').replace('127.0.0.1:4000', `${host}:${port}`).replaceAll('app.db', `${file}.db`))
    return port
  }

  test('serves until a signal, exits with 0, and prints only addresses that answer', async () => {
    const port = await writeServer('served.ts')
    const service = await start([...project.command, 'serve', 'served.ts', '--port', port, '--migrate'])
    expect(service.printed()).toBe(`Latchkey is listening on http://127.0.0.1:${port}/graphql\n`)
    expect(await ask(service.url)).toEqual({ data: { note: 'A note' } })
    expect(await service.stop()).toBe(0)
    const elsewhere = await start([...project.command, 'serve', 'served.ts'], { PORT: '0', HOST: '127.0.0.1' })
    const said =
      /^Latchkey is listening on http:\/\/127\.0\.0\.1:\d+\/graphql\nIts baseUrl, \S+, is another address: .*\n$/
    await vi.waitFor(() => expect(elsewhere.printed()).toMatch(said), 120_000)
    expect(elsewhere.printed()).toContain(`Its baseUrl, http://127.0.0.1:${port}, is another address`)
    expect(elsewhere.url).not.toContain(port)
    expect(await elsewhere.stop()).toBe(0)
  })

  test('names the settings to change if its port is taken, whether or not baseUrl has the port', async () => {
    const port = await writeServer('taken.ts')
    const service = await start([...project.command, 'serve', 'taken.ts', '--migrate'])
    const own = await latchkeyAlone(['serve', 'taken.ts'])
    expect(own.stderr).toContain('or use another port in baseUrl and --port.\n')
    const other = await writeServer('behind.ts')
    expect(other).not.toBe(port)
    const behind = await latchkeyAlone(['serve', 'behind.ts', '--port', port])
    expect(behind.stderr).toContain(
      'or use another --port, also in the server that forwards requests here, such as Vite or a proxy.\n',
    )
    expect(await service.stop()).toBe(0)
  })

  test.each([
    ['127.0.0.1', '127.0.0.1'],
    ['localhost', '127.0.0.1'],
    ['127.0.0.2', '127.0.0.2'],
  ])('listens at the baseUrl without --port and --host, on %s', async (host, address) => {
    const port = await writeServer(`at-${host}.ts`, host)
    const service = await start([...project.command, 'serve', `at-${host}.ts`, '--migrate'], { PORT: '', HOST: '' })
    const known = host === address ? '' : `, known as http://${host}:${port}/graphql`
    expect(service.printed()).toBe(`Latchkey is listening on http://${address}:${port}/graphql${known}\n`)
    expect(await ask(`http://${host}:${port}/graphql`)).toEqual({ data: { note: 'A note' } })
    expect(await service.stop()).toBe(0)
  })

  describe('whose shell gets SIGTERM', () => {
    /** Starts it through a shell that does not pass signals on, and prints its process first. */
    async function startThroughShell(file: string, npmCommand?: string) {
      await writeServer(file)
      const shell = ['sh', '-c', '"$@" & echo "process $!"; wait', 'sh']
      const command = [...shell, ...project.command, 'serve', file, '--migrate']
      const service = await start(command, { npm_command: npmCommand })
      const pid = Number(/^process (\d+)$/m.exec(service.printed())?.[1])
      const answers = () => ask(service.url).then(Boolean, () => false)
      const isClosed = () => vi.waitFor(async () => expect(await answers()).toBe(false), 20_000)
      onTestFinished(async () => {
        if (await answers()) process.kill(pid, 'SIGTERM')
        await isClosed()
      })
      expect(await answers()).toBe(true)
      await service.stop()
      return { answers, isClosed }
    }

    test('closes if npm started it', async () => {
      const { isClosed } = await startThroughShell('by-npm.ts', 'exec')
      await isClosed()
    })

    test('goes on if another program started it', async () => {
      const { answers } = await startThroughShell('by-shell.ts')
      await setTimeout(1500)
      expect(await answers()).toBe(true)
    })
  })

  test('serves a file that another program starts, like a process manager', async () => {
    const port = await writeServer('served-too.ts')
    const [program, ...flags] = project.command
    const cli = flags.pop() ?? ''
    write(
      'manager.ts',
      `process.argv.splice(1, process.argv.length, ${JSON.stringify(cli)}, 'serve', 'served-too.ts', '--port', '${port}', '--migrate')\nawait import(${JSON.stringify(cli)})\n`,
    )
    const service = await start([program, ...flags, 'manager.ts'])
    expect(await ask(service.url)).toEqual({ data: { note: 'A note' } })
    expect(await service.stop()).toBe(0)
  })

  beforeAll(() => writeServer('empty.ts'))

  test.concurrent.each([
    ['serve lost-file.ts', 2, 'the file lost-file.ts does not exist'],
    ['serve disk.ts --port http', 2, 'from 0 to 65535'],
    ['serve disk.ts --port 70000', 2, 'from 0 to 65535'],
    ['serve disk.ts --watch', 2, "Unknown option '--watch'"],
    ['serve empty.ts --port 0', 1, 'latchkey serve empty.ts --migrate'],
  ])('%s exits with %d and the reason', async (line, code, words) => {
    const { exitCode, stdout, stderr } = await latchkeyAlone(line.split(' '))
    expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: '' })
    expect(stderr).toContain(words)
    expect(stderr).not.toMatch(/^\s+at /m)
  })

  test('exits with 1 if the port is taken', async () => {
    const port = await writeServer('taken.ts')
    const service = await start([...project.command, 'serve', 'taken.ts', '--port', port, '--migrate'])
    const { exitCode, stderr } = await latchkeyAlone(['serve', 'taken.ts', '--port', port])
    expect(exitCode).toBe(1)
    expect(stderr).toContain('The port is taken')
    expect(await service.stop()).toBe(0)
  })
})
