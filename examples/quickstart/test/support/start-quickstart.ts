import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const readyLine = /^Latchkey is listening on (http:\/\/\S+)\/graphql(?: \(PUBLIC_URL: \S+\))?$/m

export type Environment = Readonly<Record<string, string>>
type Command = readonly [program: string, ...words: string[]]

/** What the README says. */
export const npmStart: Command = ['npm', 'start']
/** What that ends in, without the installation before it: the bundle, where the run has made one. */
export const nodeStart: Command = [
  process.execPath,
  '--conditions=@latchkey/source',
  process.env.QUICKSTART_BUNDLE ?? fileURLToPath(new URL('../../src/main.ts', import.meta.url)),
]

/** The same with a clock that is `SKEW_MS` wrong. */
export const skewedStart: Command = [
  nodeStart[0],
  '--import',
  // The set-up of vitest has no `import.meta.resolve`.
  pathToFileURL(createRequire(import.meta.url).resolve('@latchkey/test-services/skew-clock')).href,
  ...nodeStart.slice(1),
]

export interface Mail {
  readonly kind: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly url: string | null
}

/** The quickstart as a user runs it: `npm start` in a process of its own. */
export interface Quickstart {
  readonly url: string
  /** Of the process that was started: the service itself with `nodeStart`. */
  readonly pid: number | undefined
  readonly dataDirectory: string
  /** All that it printed so far. */
  output(): string
  mailsTo(address: string): Promise<readonly Mail[]>
  /** SIGTERM to `npm start`; returns its exit code. */
  stop(): Promise<number | null>
  /** SIGKILL to everything at once, as when the machine loses its power. */
  kill(): Promise<void>
}

export async function temporaryDirectory(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'latchkey-quickstart-'))
}

/** Starts the service on a free port and waits until it says that it is ready. */
export async function startQuickstart(environment: Environment = {}, command: Command = npmStart): Promise<Quickstart> {
  const dataDirectory = environment.DATA_DIR ?? (await temporaryDirectory())
  const mailDirectory = environment.MAIL_DIR ?? (await temporaryDirectory())
  const child = spawnStart(command, { DATA_DIR: dataDirectory, MAIL_DIR: mailDirectory, ...environment })
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  let printed = ''
  const url = await new Promise<string>((resolve, reject) => {
    const collect = (chunk: Buffer) => {
      printed += chunk.toString()
      const ready = readyLine.exec(printed)?.[1]
      if (ready) resolve(ready)
    }
    child.stdout?.on('data', collect)
    child.stderr?.on('data', collect)
    child.once('exit', (code) => reject(new Error(`npm start ended with ${code}:\n${printed}`)))
  })
  return {
    url,
    pid: child.pid,
    dataDirectory,
    output: () => printed,
    mailsTo: (address) => readMails(mailDirectory, address),
    async stop() {
      child.kill('SIGTERM')
      return ended
    },
    async kill() {
      for (const pid of [...descendantsOf(child.pid ?? 0), child.pid ?? 0]) killNow(pid)
      await ended
    },
  }
}

/** Runs the service with settings that make it refuse; returns its exit code and what it printed. */
export async function failToStart(
  environment: Environment,
  command: Command = nodeStart,
): Promise<{ code: number | null; output: string }> {
  const child = spawnStart(command, { DATA_DIR: ':memory:', ...environment })
  let output = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, output }
}

function spawnStart([program, ...words]: Command, environment: Environment): ChildProcess {
  // The settings of the service are those of the test alone, whatever this machine has for another one.
  const settings =
    /^(NODE_ENV|VITEST|HOST|PUBLIC_URL|ALLOWED_\w+|CORS_\w+|TRUSTED_PROXIES|DATABASE_(?:DIRECT_)?URL|REDIS_URL|LATCHKEY_SECRET|COOKIES|SMTP_URL|MAIL_FROM|BREACHED_\w+|(?:ACCESS|CLIENT)_TOKEN_ALGORITHM)$/
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !settings.test(name)))
  // Of several processes with one PUBLIC_URL a test asks each at its own port.
  const reached = environment.PORT && environment.PUBLIC_URL ? { ALLOWED_HOSTS: `127.0.0.1:${environment.PORT}` } : {}
  return spawn(program, words, {
    cwd: root,
    env: { ...inherited, PORT: '0', ...reached, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself, when those went that it had started.
  }
}

function descendantsOf(pid: number): number[] {
  const list = `/proc/${pid}/task/${pid}/children`
  const children = existsSync(list) ? readFileSync(list, 'utf8').trim().split(' ').filter(Boolean).map(Number) : []
  return children.flatMap((child) => [...descendantsOf(child), child])
}

async function readMails(directory: string, address: string): Promise<readonly Mail[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith(`-${address}.json`)).sort()
  return Promise.all(names.map(async (name) => JSON.parse(await readFile(join(directory, name), 'utf8')) as Mail))
}
