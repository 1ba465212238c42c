import { atMost, type PartReport, type PartRun } from '../part.ts'
import { chartOfRounds, measureRounds, peersOf } from '../rounds.ts'
import { median, medianRatio } from '../statistics.ts'
import { formatNumber, formatRatio } from '../table.ts'
import { type SessionWay, sessionWays } from './sessions-ways.ts'

/** Microseconds for each way to read the session of a request. */
export async function measureSessionsRead(run: PartRun): Promise<PartReport> {
  const ways = new Map<string, SessionWay>()
  for (const [name, open] of Object.entries(sessionWays)) ways.set(name, await open())
  for (const way of ways.values()) await timeRead(way, 0.5)
  const figures = await measureRounds(run, [...ways.keys()], async (name) => {
    const way = ways.get(name)
    return way ? timeRead(way, run.seconds) : Number.NaN
  })
  const rows = Object.entries(figures).map(([name, rounds]) => [
    name,
    formatNumber(median(rounds)),
    formatRatio(medianRatio(rounds, figures.latchkey)),
  ])
  const peers = peersOf(figures, ['express-session', 'better-auth'])
  const title = 'Cookie header in, account out, each with its own store in memory'
  return {
    tables: [
      { title, head: ['way', 'µs for a read', 'of latchkey'], rows, chart: chartOfRounds('µs for a read', figures) },
    ],
    targets: [atMost(2, 'µs for the session of a request', 'latchkey', median(figures.latchkey ?? []), peers)],
    figures,
  }
}

/** Measures batches, so that reading the clock costs little. */
async function timeRead({ read, cookie }: SessionWay, seconds: number): Promise<number> {
  if ((await read(cookie)) === null) throw new Error('the session was not found')
  const batch = 500
  const batches: number[] = []
  const end = performance.now() + seconds * 1000
  while (performance.now() < end) {
    const start = performance.now()
    for (let count = 0; count < batch; count++) await read(cookie)
    batches.push(((performance.now() - start) * 1000) / batch)
  }
  return median(batches)
}
