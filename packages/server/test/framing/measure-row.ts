import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setInterval, setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { FramedProcess } from './framed-process.ts'
import type { FramingAttack, FramingLoot } from './framing-attacker.ts'
import { framingRows } from './framing-rows.ts'
import { type HonestClient, measureTimes, openHonestPings, openHonestRequests, type Times } from './honest-clients.ts'

/** The times of an honest client, in milliseconds. */
export interface Neighbour {
  readonly alone: Times
  readonly beside: Times
}

export interface MeasuredRow {
  readonly what: string
  readonly requests: Neighbour
  readonly pings: Neighbour
  /** `null`: the event loop did not turn again. */
  readonly loopMs: number | null
  readonly idleBytes: number
  readonly mostBytes: number
  /** By what the service has ended. */
  readonly ended: string | null
  readonly loot: FramingLoot
}

/** Honest clients ask so often, in milliseconds. */
const requestEveryMs = 5
const pingEveryMs = 50

const aloneMs = 500
/** The attack is under way. */
const leadMs = 300

/** Measures what honest clients of a service notice of an attacker, and what the attacker takes of the service. */
export async function measureRow(service: FramedProcess, what: string, localAddress: string): Promise<MeasuredRow> {
  const attackMs = framingRows.find((row) => row.what === what)?.milliseconds ?? 2_000
  const attacker = fork(fileURLToPath(new URL('./framing-attacker.ts', import.meta.url)), [], {
    execArgv: ['--conditions=@latchkey/source', '--no-warnings'],
  })
  const [requests, pings] = await Promise.all([openHonestRequests(service.port), openHonestPings(service.port)])
  try {
    await service.settle()
    const idleBytes = service.resident()
    const honest: Honest = { service, requests, pings }
    const alone = await measureBoth(honest, aloneMs)
    const most = watchResident(service)
    const looted = Promise.race([once(attacker, 'message'), once(attacker, 'exit').then(() => Promise.reject(lost()))])
    looted.catch(() => null)
    attacker.send({ port: service.port, localAddress, what, milliseconds: attackMs } satisfies FramingAttack)
    await setTimeout(leadMs)
    const beside = await measureBoth(honest, attackMs - leadMs)
    const [loot] = await looted
    const loopMs = await service.settle()
    return {
      what,
      requests: { alone: alone.requests, beside: beside.requests },
      pings: { alone: alone.pings, beside: beside.pings },
      loopMs,
      idleBytes,
      mostBytes: most(),
      ended: service.ended(),
      loot,
    }
  } finally {
    requests.close()
    pings.close()
    attacker.kill('SIGKILL')
  }
}

const lost = (): Error => new Error('the attacker has ended')

interface Honest {
  readonly service: FramedProcess
  readonly requests: HonestClient
  readonly pings: HonestClient
}

async function measureBoth({ service, requests, pings }: Honest, milliseconds: number) {
  const pids = [service.pid, process.pid]
  const [ofRequests, ofPings] = await Promise.all([
    measureTimes(requests, { everyMs: requestEveryMs, milliseconds, pids }),
    measureTimes(pings, { everyMs: pingEveryMs, milliseconds, pids }),
  ])
  return { requests: ofRequests, pings: ofPings }
}

/** Begins to look at the resident set, and returns what ends this with the most that was seen. */
function watchResident(service: FramedProcess): () => number {
  const ended = new AbortController()
  let most = 0
  const watch = async (): Promise<void> => {
    for await (const _ of setInterval(20, undefined, { signal: ended.signal }))
      most = Math.max(most, service.resident())
  }
  void watch().catch(() => null)
  return () => {
    ended.abort()
    return most
  }
}
