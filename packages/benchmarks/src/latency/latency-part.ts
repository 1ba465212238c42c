import { startGraphql } from '../graphql/graphql-load.ts'
import { runClosedLoop } from '../load/closed-loop.ts'
import type { LoadTarget } from '../load/load-target.ts'
import { openStorePlaces, type StorePlaces } from '../load/store-places.ts'
import type { PartReport, PartRun } from '../part.ts'
import { measureRounds, type Rounds } from '../rounds.ts'
import { startService } from '../service/service-load.ts'
import { medians, percentile } from '../statistics.ts'
import { formatNumber, type Table } from '../table.ts'
import { runOpenLoop } from './open-loop.ts'
import { createSchedule } from './schedule.ts'

/** The rates, as parts of the highest rate of each server. */
const shares = [0.5, 0.8] as const

const graphqlNames = [
  'node:http alone',
  'latchkey, token seen',
  'Mercurius + fast-jwt, by hand',
  'Mercurius + mercurius-auth',
  'Mercurius JIT + fast-jwt, by hand',
] as const
const serviceWays = [
  ['latchkey', 'memory'],
  ['latchkey', 'SQLite'],
  ['Mercurius by hand', 'SQLite'],
] as const

type LatencyFigures = Record<string, number> & { readonly mostPerSecond: number }

/** Measures the waiting time of single requests at rates that each server can sustain, without omissions. */
export async function measureLatency(run: PartRun): Promise<PartReport> {
  const places = await openStorePlaces()
  const targets = new Map<string, LoadTarget>()
  const closings: (() => Promise<void>)[] = []
  try {
    await startAll(run, places, (target, close) => {
      targets.set(target.name, target)
      closings.push(close)
    })
    const most = new Map<string, number>()
    for (const [name, target] of targets) {
      run.progress(`without pause: ${name}`)
      most.set(name, await measureMost(target))
    }
    const figures = await measureRounds(run, [...targets.keys()], async (name) => {
      const target = targets.get(name)
      if (!target) throw new Error(`${name} was not started`)
      return measureTarget(target, most.get(name) ?? Number.NaN, run.seconds)
    })
    return { tables: writeTables(figures), targets: [], figures }
  } finally {
    for (const close of closings) await close()
    await places.close()
  }
}

type Started = (target: LoadTarget, close: () => Promise<void>) => void

async function startAll({ progress, own }: PartRun, places: StorePlaces, started: Started): Promise<void> {
  const isAsked = (name: string): boolean => name.includes(own['latency-servers'] ?? '')
  for (const name of graphqlNames.filter(isAsked)) {
    progress(`starting ${name}`)
    const target = await startGraphql('ours', name)
    started(target, () => target.close())
  }
  for (const [name, store] of serviceWays) {
    if (!isAsked(`${name}, ${store}, token`)) continue
    progress(`starting ${name}, ${store}`)
    const service = await startService(name, store, { kinds: ['token'], places })
    if (!service) continue
    for (const target of service.targets) started(target, () => service.close())
  }
}

/** Measures the highest rate of a warm server. */
async function measureMost(target: LoadTarget): Promise<number> {
  await runClosedLoop(target, 1500)
  const { requests, milliseconds } = await runClosedLoop(target, 1000)
  return (requests * 1000) / milliseconds
}

/** The waits at each rate. */
async function measureTarget(target: LoadTarget, mostPerSecond: number, seconds: number): Promise<LatencyFigures> {
  const figures: LatencyFigures = { mostPerSecond }
  for (const share of shares) {
    const waits = await runOpenLoop(target, createSchedule(mostPerSecond * share, seconds))
    for (const [name, part] of Object.entries(percentiles)) figures[`${name} at ${share}`] = percentile(waits, part)
  }
  return figures
}

const percentiles = { p50: 0.5, p99: 0.99, 'p99.9': 0.999 } as const

function writeTables(figures: Rounds<LatencyFigures>): Table[] {
  const rows = Object.entries(figures).map(([name, rounds]) => ({ name, row: medians(rounds) }))
  return shares.map((share) => ({
    title: `The wait at ${share * 100} % of each server's maximum rate, in milliseconds`,
    head: ['server', 'most requests/s', 'requests/s', ...Object.keys(percentiles)],
    rows: rows.map(({ name, row }) => [
      name,
      formatNumber(row.mostPerSecond),
      formatNumber(row.mostPerSecond * share),
      ...Object.keys(percentiles).map((of) => formatNumber(row[`${of} at ${share}`] ?? Number.NaN)),
    ]),
    chart: {
      unit: 'milliseconds until the answer',
      better: 'less',
      series: Object.keys(percentiles),
      bars: rows.map(({ name, row }) => ({
        label: name,
        values: Object.keys(percentiles).map((of) => row[`${of} at ${share}`] ?? Number.NaN),
      })),
    },
  }))
}
