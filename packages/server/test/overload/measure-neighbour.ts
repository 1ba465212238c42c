import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Attack } from './attacker.ts'
import type { Order } from './honest-client.ts'

/** A service with an honest client at one address, and an attacker at another one. */
export interface Neighbours {
  /** Returns what honest requests take in processor time, alone and beside a line without pause, in milliseconds. */
  measure(index: number, options: { readonly requests: number; readonly settleMs: number }): Promise<Neighbourhood>
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

export async function startNeighbours(): Promise<Neighbours> {
  const service = start(new URL('./attacked-service.ts', import.meta.url))
  const attacker = start(new URL('./attacker.ts', import.meta.url))
  const [port] = (await once(service, 'message')) as [number]
  const command = (index: number): void => void attacker.send({ port, index } satisfies Attack)
  const ask = async (order: Order): Promise<readonly number[]> => {
    service.send(order)
    const [spent] = (await once(service, 'message')) as [readonly number[]]
    return spent
  }
  return {
    async measure(index, { requests, settleMs }) {
      command(-1)
      await ask({ milliseconds: settleMs })
      const alone = spreadOf(await ask({ requests }))
      command(index)
      await ask({ milliseconds: settleMs })
      const beside = spreadOf(await ask({ requests }))
      command(-1)
      return { alone, beside }
    },
    close() {
      service.disconnect()
      attacker.disconnect()
    },
  }
}

function start(file: URL): ChildProcess {
  return fork(fileURLToPath(file), [], { execArgv: ['--conditions=@latchkey/source', '--no-warnings'] })
}

function spreadOf(spent: readonly number[]): Spread {
  const sorted = spent.toSorted((a, b) => a - b)
  const at = (part: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99) }
}
