import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

/** A server that belongs to the tests. */
export interface TestServer {
  readonly url: string
  readonly port: number
  /** Starts it again after `kill` or `stop`, on the same port and with the same data. */
  start(): Promise<void>
  /** SIGKILL to the server and all that it started: as when the machine loses its power. */
  kill(): Promise<void>
  /** Sends SIGSTOP and returns when it has stopped: connections stay open without answers. */
  pause(): void
  /** Sends SIGCONT: it then processes the requests that arrived meanwhile. */
  resume(): void
  /** Stops it and removes its data. */
  stop(): Promise<void>
}

export interface ServerRecipe {
  readonly program: string
  readonly words: readonly string[]
  /** Its output when it accepts connections. */
  readonly ready: RegExp
  readonly user?: { readonly uid: number; readonly gid: number }
  /** More of its environment. */
  readonly env?: Readonly<Record<string, string>>
}

/** Returns the path of a program, searched for in these folders and in PATH. */
export function findProgram(name: string, folders: readonly string[] = []): string | null {
  const all = [...folders, ...(process.env.PATH ?? '').split(delimiter)]
  return all.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null
}

const given = new Set<number>()

/**
 * Returns a free port, a different one each time, below the range for outgoing connections, so that no connection takes
 * it while a killed server is restarted.
 */
export async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = 15_000 + Math.floor(Math.random() * 17_000)
    if (given.has(port)) continue
    given.add(port)
    if (await isFree(port)) return port
  }
  throw new Error('no free port')
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer()
  const listening = once(probe.listen(port, '127.0.0.1'), 'listening')
  const free = await listening.then(
    () => true,
    () => false,
  )
  if (free) await new Promise((resolve) => probe.close(resolve))
  return free
}

export async function createDataFolder(name: string, user?: ServerRecipe['user']): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `latchkey-${name}-`))
  if (user) await chown(folder, user.uid, user.gid)
  return folder
}

/** Starts a server over a data folder that goes with it. */
export async function startServer(recipe: ServerRecipe, folder: string): Promise<Omit<TestServer, 'url' | 'port'>> {
  let child: ChildProcess | null = null
  let unguard = () => {}
  const everybody = () => (child?.pid === undefined ? [] : [child.pid, ...descendantsOf(child.pid)])
  const server: Omit<TestServer, 'url' | 'port'> = {
    async start() {
      child = spawnServer(recipe)
      unguard = guard(child, folder)
      await whenReady(child, recipe)
    },
    async kill() {
      if (!child) return
      const ended = whenEnded(child)
      const killed = everybody()
      for (const pid of killed) signal(pid, 'SIGKILL')
      await ended
      // As long as one of them lives, PostgreSQL does not start over the same data.
      while (killed.some(isAlive)) await setTimeout(5)
      unguard()
      child = null
    },
    pause() {
      for (const pid of everybody()) signal(pid, 'SIGSTOP')
      waitUntilStopped(everybody())
    },
    resume() {
      for (const pid of everybody()) signal(pid, 'SIGCONT')
    },
    async stop() {
      await server.kill()
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
  await server.start()
  return server
}

/** Starts the server in a separate session, so that Control-C stops the tests and not the server under them. */
function spawnServer({ program, words, user, env }: ServerRecipe): ChildProcess {
  const place = { ...user, cwd: '/', env: { ...process.env, ...env } }
  return spawn(program, words, { ...place, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
}

async function whenReady(child: ChildProcess, { program, ready }: ServerRecipe): Promise<void> {
  let printed = ''
  await new Promise<void>((resolve, reject) => {
    const collect = (chunk: Buffer) => {
      printed = (printed + chunk.toString()).slice(-4000)
      if (ready.test(printed)) resolve()
    }
    child.stdout?.on('data', collect)
    child.stderr?.on('data', collect)
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`${program} ended with ${code}:\n${printed}`)))
  })
}

async function whenEnded(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  await new Promise((resolve) => child.once('exit', resolve))
}

/** If the tests are killed outright, so is the server: the guard reads from a pipe that only our end closes. */
function guard(child: ChildProcess, folder: string): () => void {
  const script = `trap "" HUP INT TERM; read -r done && exit; kill -CONT "$1"; kill -QUIT "$1"; sleep 1; kill -KILL "$1"; rm -rf "$2"`
  const watcher = spawn('sh', ['-c', script, 'guard', String(child.pid), folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  watcher.stdin.on('error', () => {})
  watcher.unref()
  return () => watcher.stdin.end('done\n')
}

/** Returns all descendants of a process. Each may exit during the search. */
export function descendantsOf(pid: number): number[] {
  const children = readChildren(pid)
  return children.flatMap((child) => [child, ...descendantsOf(child)])
}

function readChildren(pid: number): number[] {
  try {
    const list = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    return list.trim().split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

const stopsWithinMs = 10_000

/**
 * Waits until every thread has stopped: on a busy machine a thread runs long enough to make a change without an answer.
 */
function waitUntilStopped(pids: readonly number[]): void {
  const pause = new Int32Array(new SharedArrayBuffer(4))
  const end = performance.now() + stopsWithinMs
  while (!pids.every(isStopped)) {
    if (performance.now() > end) throw new Error('the server has not stopped')
    Atomics.wait(pause, 0, 0, 2)
  }
}

function isStopped(pid: number): boolean {
  try {
    const threads = readdirSync(`/proc/${pid}/task`)
    return threads.every((thread) => /\) [TtZX] /.test(readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')))
  } catch {
    // It has ended, or a thread of it just did.
    return !isAlive(pid)
  }
}

/** Returns whether a process is alive. A process that has exited is not, even if its exit code was not read yet. */
function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended by itself meanwhile.
  }
}
