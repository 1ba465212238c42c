import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openHonestRequests } from './honest-clients.ts'

/** The service in a process of its own, warm. */
export interface FramedProcess {
  readonly port: number
  readonly pid: number
  /** The resident set, in bytes; 0 after its death. */
  resident(): number
  /**
   * Lets it collect its garbage, and returns the longest delay of its event loop since the last time, in milliseconds; `null`:
   * it does not answer.
   */
  settle(): Promise<number | null>
  /** By what it has ended: a signal, or an exit code. */
  ended(): string | null
  stop(): Promise<void>
}

/** Young garbage has its whole room from the start, on a machine of any size: what an attack takes is not that. */
const flags = [
  '--conditions=@latchkey/source',
  '--no-warnings',
  '--expose-gc',
  '--max-old-space-size=512',
  '--min-semi-space-size=16',
  '--max-semi-space-size=16',
]

/** Starts the service on this Node.js and sends it two thousand requests. */
export async function startFramedProcess(execPath: string): Promise<FramedProcess> {
  const file = fileURLToPath(new URL('./framed-service.ts', import.meta.url))
  // What a process writes that runs out of memory is long.
  const child = fork(file, [], { execPath, execArgv: flags, stdio: ['ignore', 'inherit', 'ignore', 'ipc'] })
  const exit = once(child, 'exit')
  const said = once(child, 'message')
  const [port] = await Promise.race([said, exit.then(([code]) => Promise.reject(notStarted(code)))])
  const { pid } = child
  if (pid === undefined) throw notStarted(null)
  const framed: FramedProcess = {
    port,
    pid,
    resident: () => residentOf(pid),
    settle: () => settle(child, exit),
    ended: () => child.signalCode ?? (child.exitCode === null ? null : `${child.exitCode}`),
    async stop() {
      child.kill('SIGKILL')
      if (framed.ended() === null) await exit
    },
  }
  await warm(port)
  await framed.settle()
  return framed
}

function notStarted(code: number | null): Error {
  return new Error(`the service has ended with ${code} before it listened`)
}

async function warm(port: number): Promise<void> {
  // Who sends so many without a pause has taken more than its share.
  const client = await openHonestRequests(port, '127.0.0.4')
  for (let asked = 0; asked < 2_000; asked++) await client.ask()
  client.close()
}

const settleMs = 10_000

async function settle(child: ChildProcess, exit: Promise<unknown>): Promise<number | null> {
  if (!child.connected) return null
  const said = new Promise<number>((resolve) => child.once('message', resolve))
  child.send('gc', () => undefined)
  return Promise.race([said, exit.then(() => null), setTimeout(settleMs, null, { ref: false })])
}

/** Read from outside: a process whose event loop stands still cannot say it. */
function residentOf(pid: number): number {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Number(kilobytes ?? 0) * 1024
  } catch {
    return 0
  }
}
