import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { nodeStart, startQuickstart, temporaryDirectory } from './support/start-quickstart.ts'
import { createVisitor } from './support/visitor.ts'

// npm, the package manager and the command start one after the other.
vi.setConfig({ testTimeout: 240_000 })

const example = fileURLToPath(new URL('..', import.meta.url))
const root = fileURLToPath(new URL('../../..', import.meta.url))

type Settings = Readonly<Record<string, string>>

/** `npm run latchkey -- …`, as the README says it. */
const npmRun = (folder: string, line: string, settings: Settings) =>
  run('npm', ['run', '--silent', 'latchkey', '--', ...line.split(' ')], { folder, settings })

/** What that ends in, without npm before it. */
function latchkey(line: string, settings: Settings, input = '') {
  const words = ['--conditions=@latchkey/source', 'node_modules/@latchkey/server/src/cli.ts', ...line.split(' ')]
  return run(process.execPath, words, { folder: example, settings, input })
}

interface Surroundings {
  readonly folder: string
  readonly settings: Settings
  readonly input?: string
}

function run(program: string, args: readonly string[], { folder, settings, input = '' }: Surroundings) {
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const options = { cwd: folder, env: { ...process.env, ...settings } }
    const child = execFile(program, args, options, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    )
    child.stdin?.on('error', () => null)
    child.stdin?.end(input)
  })
}

describe('the commands', () => {
  test('work on the service that runs, with its settings', async () => {
    const service = await startQuickstart({}, nodeStart)
    onTestFinished(async () => void (await service.stop()))
    const settings = { DATA_DIR: service.dataDirectory }
    const author = createVisitor(service.url)
    await author.signIn('author@example.com')
    expect((await author.ask('{ viewer { name } }')).status).toBe(200)

    expect(await npmRun(example, 'sessions revoke author@example.com', settings)).toMatchObject({
      code: 0,
      stdout: '1 session ended.\n',
    })
    expect((await author.ask('{ viewer { name } }')).status).toBe(401)

    const { stdout } = await npmRun(root, 'keys rotate --json', settings)
    const { keyId } = JSON.parse(stdout)
    const keys: { id: string; state: string }[] = JSON.parse(
      (await latchkey('keys list src/server.ts --json', settings)).stdout,
    )
    // Those of clients, of ES256 and of RS256, are too young to rotate.
    const [young, own] = [
      ['signing', 'next'],
      ['retired', 'signing', 'next'],
    ]
    expect(keys.map(({ state }) => state)).toEqual([...own, ...young, ...young])
    expect(keys[1]?.id).toBe(keyId)

    const created = 'accounts create --email boss@example.com --name Boss --role ADMIN'
    expect(await latchkey(created, settings, 'seven kettles hum along\n')).toMatchObject({ code: 0 })
    const boss = createVisitor(service.url)
    await boss.signIn('boss@example.com', 'SESSION', 'seven kettles hum along')
    expect((await boss.ask('{ viewer { name role } accounts(first: 1) { id } }')).data).toMatchObject({
      viewer: { name: 'Boss', role: 'ADMIN' },
    })
  })

  test('commands refuse to change a database in memory, which no service can see', async () => {
    const outcome = await latchkey('keys rotate', { DATA_DIR: ':memory:' })
    expect(outcome).toMatchObject({ code: 1, stdout: '' })
    expect(outcome.stderr).toContain('are in memory')
  })

  test('print the tools of the publication, as a table and for a program', async () => {
    const settings = { DATA_DIR: await temporaryDirectory() }
    await latchkey('migrate', settings)
    const { code, stdout } = await latchkey('mcp', settings)
    expect([code, stdout.split('\n').at(-2)?.split(/ {2,}/)]).toEqual([
      0,
      ['deleteComment', 'mutation', 'comments:create or comments:delete', 'comments', '-', 'own', 'own', 'yes', 'yes'],
    ])
    const [first] = JSON.parse((await latchkey('mcp --json', settings)).stdout)
    expect(first).toEqual({
      name: 'listArticles',
      kind: 'query',
      document: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      scopes: [[]],
      owner: [],
      stepUp: null,
      roles: { READER: 'yes', AUTHOR: 'yes', EDITOR: 'yes', ADMIN: 'yes' },
    })
  })

  test('commands print the access and the schema without a store', async () => {
    const directory = await temporaryDirectory()
    const settings = { DATA_DIR: `${directory}/none`, REDIS_URL: 'redis://127.0.0.1:1' }
    expect((await latchkey('schema', settings)).stdout).toContain('union SearchResult = ')
    expect(await latchkey('access', settings)).toMatchObject({ code: 0, stderr: '' })
  })
})
