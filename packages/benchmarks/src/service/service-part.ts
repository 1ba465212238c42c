import { pinLoad } from '../load/own-core.ts'
import { writeSliceTable } from '../load/slice-table.ts'
import { measureSlices, type Slices, speedRatio } from '../load/slices.ts'
import { noPostgres, openStorePlaces, type StorePlaces } from '../load/store-places.ts'
import { atLeast, type PartReport, type PartRun, type Target } from '../part.ts'
import type { HandStore } from '../sessions/session-by-hand.ts'
import { type ServiceTargets, startService } from './service-load.ts'
import { credentials, handStores, isMeasuredOn, nameWay, type ServiceName, serviceNames } from './service-ways.ts'

/** Measures the whole service and services written by hand, on each store, with and without a credential. */
export async function measureService(run: PartRun): Promise<PartReport> {
  // Before a database starts, which inherits it.
  pinLoad()
  const places = await openStorePlaces()
  const services: ServiceTargets[] = []
  try {
    for (const store of handStores.filter((name) => name.includes(run.own['service-store'] ?? ''))) {
      services.push(...(await startAll(store, places, run)))
    }
    const slices = await measureSlices(
      run,
      services.flatMap(({ targets }) => targets),
    )
    return report(slices, places.postgresUrl === null)
  } finally {
    for (const service of services) await service.close()
    await places.close()
  }
}

async function startAll(store: HandStore, places: StorePlaces, { progress }: PartRun): Promise<ServiceTargets[]> {
  const started: ServiceTargets[] = []
  for (const name of serviceNames.filter((one) => isMeasuredOn(one, store))) {
    progress(`starting ${name}, ${store}`)
    const service = await startService(name, store, { kinds: credentials, places })
    if (service) started.push(service)
  }
  return started
}

/** `latchkey, SQLite, token` → `latchkey, SQLite, anonymous`. */
const anonymousOf = (name: string): string => name.replace(/[^ ]+$/, 'anonymous')
const peerOf =
  (peer: string) =>
  (name: string): string | null =>
    name.startsWith('latchkey') ? name.replace(/^latchkey(, one second old)?/, peer) : null

function report(slices: Slices, isPostgresMissing: boolean): PartReport {
  const missing = isPostgresMissing
    ? serviceNames.map((name) => ({ name: `${name}, PostgreSQL`, why: noPostgres }))
    : []
  const bases = [
    { head: 'of its own anonymous', baseOf: anonymousOf },
    { head: 'of Mercurius by hand', baseOf: peerOf('Mercurius by hand') },
    { head: 'of Mercurius JIT by hand', baseOf: peerOf('Mercurius JIT by hand') },
  ]
  const title = 'The whole service, by store and by what a request shows'
  return { tables: [writeSliceTable(slices, { title, bases, missing })], targets: judge(slices), figures: slices }
}

/** The least part of the speed that must remain with a credential. */
const promises: readonly (readonly [service: ServiceName, store: HandStore, least: number])[] = [
  ['latchkey', 'memory', 0.95],
  ['latchkey', 'SQLite', 0.85],
  ['latchkey', 'PostgreSQL', 0.5],
  ['latchkey, one second old', 'PostgreSQL', 0.9],
]

function judge(slices: Slices): Target[] {
  return promises.flatMap(([service, store, least]) =>
    (['token', 'cookie'] as const)
      .filter((kind) => slices[nameWay(service, store, kind)])
      .map((kind) => {
        const way = nameWay(service, store, kind)
        const peers = serviceNames
          .filter((name) => !name.startsWith('latchkey'))
          .map((name) => nameWay(name, store, kind))
        const ratios = peers.map((peer) => ({ name: peer, measured: speedRatio(slices, peer, anonymousOf(peer)) }))
        return atLeast(least, '× its own anonymous', way, speedRatio(slices, way, anonymousOf(way)), ratios)
      }),
  )
}
