import type { StormResult } from './login-storm.ts'
import { peer } from './login-ways.ts'
import { median, medians } from './statistics.ts'
import { formatNumber, formatTable } from './table.ts'

/** The results of each way, one for each round. */
export type Rounds<Row> = Record<string, Row[]>

/** What other requests notice, and how many logins there were. */
export function stormTable(storm: Rounds<StormResult>): string {
  const ratios = ratiosToPeer(storm, ({ loginsPerSecond }) => loginsPerSecond)
  const rows = Object.entries(storm).map(([name, rounds]) => {
    const row = medians(rounds)
    const figures = [
      row.idlePingMs,
      row.pingMs,
      row.pingMs - row.idlePingMs,
      row.idleFileMs,
      row.fileMs,
      row.fileMs - row.idleFileMs,
      row.delayMaxMs,
      row.loginsPerSecond,
    ]
    return [name, ...figures.map(formatNumber), `${formatNumber(ratios[name] ?? Number.NaN)} ×`]
  })
  const milliseconds = ['idle', 'storm', 'more'].map((when) => `ping ${when}`)
  const files = ['idle', 'storm', 'more'].map((when) => `file ${when}`)
  return formatTable(['p99 in ms', ...milliseconds, ...files, 'loop max', 'logins/s', `of ${peer}`], rows)
}

/** Hashes per second. */
export function rateTable(rate: Rounds<{ perSecond: number }>): string {
  const ratios = ratiosToPeer(rate, ({ perSecond }) => perSecond)
  const rows = Object.entries(rate).map(([name, rounds]) => [
    name,
    formatNumber(median(rounds.map(({ perSecond }) => perSecond))),
    `${formatNumber(ratios[name] ?? Number.NaN)} ×`,
  ])
  return formatTable(['way', 'hashes/s', `of ${peer}`], rows)
}

/** The median of the ratios of each round: what slowed a whole round down leaves them as they are. */
function ratiosToPeer<Row>(rounds: Rounds<Row>, figure: (row: Row) => number): Record<string, number> {
  const ofPeer = (rounds[peer] ?? []).map(figure)
  const ratios = (rows: Row[]): number[] => rows.map((row, round) => figure(row) / (ofPeer[round] ?? Number.NaN))
  return Object.fromEntries(Object.entries(rounds).map(([name, rows]) => [name, median(ratios(rows))]))
}

/** A promise, where it was measured, and whether it was kept. */
export function targetTable(storm: Rounds<StormResult>, rate: Rounds<{ perSecond: number }>): string {
  const logins = ratiosToPeer(storm, ({ loginsPerSecond }) => loginsPerSecond)
  const hashes = ratiosToPeer(rate, ({ perSecond }) => perSecond)
  const rows = Object.entries(storm)
    .filter(([name]) => name.startsWith('latchkey'))
    .flatMap(([name, rounds]) => {
      const row = medians(rounds)
      return [
        judge(name, 'p99 of a ping: at most 10 ms more', row.pingMs - row.idlePingMs, (value) => value <= 10),
        judge(name, 'p99 of a file read: at most 10 ms more', row.fileMs - row.idleFileMs, (value) => value <= 10),
        judge(name, 'event-loop delay: at most 20 ms', row.delayMaxMs, (value) => value <= 20),
      ]
    })
  const ratio = (name: string, of: Record<string, number>, least: number, what: string): string[][] =>
    of[name] === undefined
      ? []
      : [judge(name, `${what}: at least ${least} × ${peer}`, of[name], (value) => value >= least)]
  return formatTable(
    ['promise', 'way', 'measured', 'kept'],
    [
      ...rows,
      ...ratio('latchkey, node:crypto', logins, 1.2, 'logins/s'),
      ...ratio('latchkey, @node-rs/argon2', logins, 2, 'logins/s'),
      ...ratio('latchkey, argon2id (SIMD)', hashes, 0.9, 'hashes/s'),
    ],
  )
}

function judge(way: string, promise: string, value: number, isKept: (value: number) => boolean): string[] {
  return [promise, way, formatNumber(value), isKept(value) ? 'yes' : 'no']
}
