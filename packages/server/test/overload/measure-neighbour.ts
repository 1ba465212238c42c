import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Attack } from './attacker.ts'
import { createHonestClient, type Order } from './honest-client.ts'

/** A service with an honest client at one address, and an attacker at another one. */
export interface Neighbours {
  /** Returns what honest requests take in processor time, alone and beside a line without pause, in milliseconds. */
  measure(index: number, requests: number): Promise<Neighbourhood>
  close(): void
}

export interface Neighbourhood {
  readonly alone: Spread
  readonly beside: Spread
}

export interface Spread {
  readonly p50: number
  readonly p99: number
}

export async function startNeighbours(hasQueue: boolean): Promise<Neighbours> {
  // As docs/overload.md says: with more each collection of young garbage takes up to ten milliseconds.
  const named = hasQueue ? ['fair-queue'] : []
  const service = start(new URL('./attacked-service.ts', import.meta.url), named, ['--max-semi-space-size=1'])
  const attacker = start(new URL('./attacker.ts', import.meta.url), [], [])
  const stop = (): void => {
    for (const { process } of [service, attacker]) if (process.connected) process.disconnect()
  }
  const died = Promise.race([service.died, attacker.died])
  died.catch(stop)
  const port = await Promise.race([service.said, died])
  const honest = createHonestClient(port)
  const ask = (order: Order): Promise<readonly number[]> => Promise.race([honest.ask(order), died])
  // Until what it does is compiled, it takes longer, and leaves more garbage.
  await ask({ requests: 10_000, pauseMs: 0 })
  const command = (index: number): void => void attacker.process.send({ port, index } satisfies Attack)
  return {
    async measure(index, requests) {
      command(-1)
      await ask({ milliseconds: 1_000 })
      const alone = spreadOf(await ask({ requests }))
      command(index)
      await ask({ milliseconds: 2_500 })
      const beside = spreadOf(await ask({ requests, milliseconds: 8_000 }))
      command(-1)
      return { alone, beside }
    },
    close() {
      honest.close()
      stop()
    },
  }
}

interface Child {
  readonly process: ChildProcess
  /** What it says first. */
  readonly said: Promise<number>
  /** Rejects when the process ends: what waits for it would wait for ever. */
  readonly died: Promise<never>
}

function start(file: URL, args: readonly string[], flags: readonly string[]): Child {
  const execArgv = ['--conditions=@latchkey/source', '--no-warnings', ...flags]
  const child = fork(fileURLToPath(file), args, { execArgv })
  const died = new Promise<never>((_resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code, signal) => reject(new Error(`${file.pathname} has ended: ${signal ?? code}`)))
  })
  return {
    process: child,
    said: new Promise((resolve) => child.once('message', (port: number) => resolve(port))),
    died,
  }
}

function spreadOf(spent: readonly number[]): Spread {
  const sorted = spent.toSorted((a, b) => a - b)
  const at = (part: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99) }
}
