import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, expect, test, vi } from 'vitest'
import { buildHouse } from '../build-house.ts'
import { house } from '../this-house.ts'

const service = `
  const stop = (signal) => {
    console.log('asked', signal)
    setTimeout(() => { console.log('drained'); process.exit(Number(process.env.CODE ?? 0)) }, 300)
  }
  process.on('SIGTERM', stop).on('SIGINT', stop)
  setInterval(() => {}, 1000)
  console.log('ready', process.pid)
`
const scripts = {
  start: house.manifest.scripts?.start ?? '',
  serve: 'node service.mjs --port 4000',
  print: 'node print.mjs',
  fail: 'node fail.mjs',
  both: 'node print.mjs && node service.mjs',
}

interface Run {
  readonly child: ChildProcess
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>
  output(): string
  /** The process id of the service, once it is ready. */
  ready(): Promise<number>
}

const children: ChildProcess[] = []
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
})

/** Starts a command in a fixture that has our `scripts/run.mjs`, under a path with a space. */
function start(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Run {
  const { packageManager } = JSON.parse(house.read('package.json'))
  const at = (path: string) => `a folder/${path}`
  const { root } = buildHouse({
    [at('package.json')]: JSON.stringify({ private: true, type: 'module', packageManager, scripts }),
    [at('pnpm-workspace.yaml')]: 'packages: []\npmOnFail: ignore\nverifyDepsBeforeRun: install\n',
    [at('scripts/run.mjs')]: house.read('scripts/run.mjs'),
    [at('service.mjs')]: service,
    [at('print.mjs')]: 'console.log(JSON.stringify(process.argv.slice(2)))',
    [at('fail.mjs')]: 'process.exit(3)',
  })
  const cwd = join(root, 'a folder')
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }))
  children.push(child)
  return {
    child,
    ended,
    output: () => output,
    async ready() {
      for (;;) {
        const [, pid] = /ready (\d+)/.exec(output) ?? []
        if (pid !== undefined) return Number(pid)
        if (child.exitCode !== null) throw new Error(output)
        await wait(20)
      }
    },
  }
}

const run = (...args: readonly string[]) => start('node', ['scripts/run.mjs', ...args])

async function isGone(pid: number): Promise<boolean> {
  for (let waited = 0; waited < 30_000; waited += 20) {
    try {
      process.kill(pid, 0)
    } catch {
      return true
    }
    await wait(20)
  }
  return false
}

test.concurrent('a script gets its arguments as they are', async () => {
  const { ended, output } = run('print', 'two words', '$HOME', '*')
  expect(await ended).toEqual({ code: 0, signal: null })
  expect(output()).toContain('["two words","$HOME","*"]')
})

test.concurrent('the exit code of a script is the exit code', async () => {
  expect(await run('fail').ended).toEqual({ code: 3, signal: null })
})

test.concurrent.each([[['nothing']], [[]]])('a script that is not there is refused: %j', async (args) => {
  const { ended, output } = run(...args)
  expect(await ended).toEqual({ code: 2, signal: null })
  expect(output()).toContain('usage: node scripts/run.mjs <script> [arguments]')
})

test.concurrent('a script of several commands takes no arguments', async () => {
  const { ended, output } = run('both', 'one')
  expect(await ended).toEqual({ code: 2, signal: null })
  expect(output()).toContain('"both" takes no arguments')
})

test.concurrent('SIGTERM to npm start reaches the service once, lets it drain and ends with its exit code', async () => {
  for (const code of [0, 5]) {
    const { child, ended, output, ready } = start('npm', ['start'], { CODE: String(code) })
    const pid = await ready()
    child.kill('SIGTERM')
    expect(await ended).toEqual({ code, signal: null })
    expect(output().match(/asked/g)).toHaveLength(1)
    expect(output()).toContain('drained')
    expect(() => process.kill(pid, 0)).toThrow()
  }
})

test.concurrent('an interrupt that arrives twice reaches the service once', async () => {
  const { child, ended, output, ready } = run('serve')
  await ready()
  child.kill('SIGINT')
  await vi.waitFor(() => expect(output()).toContain('asked SIGINT'), { timeout: 30_000, interval: 5 })
  child.kill('SIGINT')
  expect(await ended).toEqual({ code: 0, signal: null })
  expect(output().match(/asked SIGINT/g)).toHaveLength(1)
})

test.concurrent('SIGTERM stops a script of several commands with all its processes', async () => {
  const { child, ended, ready } = run('both')
  const pid = await ready()
  child.kill('SIGTERM')
  expect(await ended).toEqual({ code: 143, signal: null })
  expect(() => process.kill(pid, 0)).toThrow()
})

test.concurrent('the service stops in order when its caller is killed', async () => {
  const { child, output, ready } = start('sh', ['-c', 'node scripts/run.mjs serve; exit 9'])
  const pid = await ready()
  child.kill('SIGKILL')
  expect(await isGone(pid)).toBe(true)
  // The process may be gone before the last of what it wrote has been read.
  await vi.waitFor(() => expect(output()).toContain('drained'), { timeout: 30_000 })
})

test.concurrent('the service stops in order when the script is killed', async () => {
  const { child, output, ready } = run('serve')
  const pid = await ready()
  child.kill('SIGKILL')
  expect(await isGone(pid)).toBe(true)
  expect(output()).not.toContain('drained')
})
