import { readFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { medianOf, writeFigure, writeTable } from './sessions-figures.ts'
import { measureHttp } from './sessions-http.ts'
import { measureOwners, type OwnerFigures } from './sessions-owners.ts'
import { measureReads } from './sessions-reads.ts'
import { measureUnknown, type UnknownFigures } from './sessions-unknown.ts'

const usage = `Measures sessions beside express-session and better-auth.

  node --conditions=@latchkey/source packages/benchmarks/src/sessions-main.ts [options]

  --only <part>     read: in process · http: over HTTP · owners: list and revoke all · unknown: unknown ids
  --rounds <n>      rounds, each with every way in turn; the medians are shown   (5)
  --seconds <n>     how long each way is measured in a round                     (2)
  --sessions <list> how many sessions one account has                            (10,1000,100000)
  --store <name>    of memory, sqlite, redis: only this one for them              (all)
  --unknown <n>     how many unknown ids are shown                               (100000)
  --json            the figures of all rounds as JSON
  --help            this text
`

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    sessions: { type: 'string', default: '10,1000,100000' },
    store: { type: 'string', default: '' },
    unknown: { type: 'string', default: '100000' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) process.stdout.write(usage)
else await run()

async function run(): Promise<void> {
  const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)]
  const isAsked = (part: string) => values.only === '' || values.only === part
  const reads = isAsked('read') ? await measureReads(rounds, seconds) : {}
  const http = isAsked('http') ? await measureHttp(rounds, seconds) : {}
  const owners = isAsked('owners')
    ? await measureOwners(rounds, values.sessions.split(',').map(Number), values.store)
    : []
  const unknown = isAsked('unknown') ? await measureUnknown(Number(values.unknown)) : []
  const figures = { machine: describeMachine(), reads, http, owners, unknown }
  process.stdout.write(values.json ? `${JSON.stringify(figures, null, 2)}\n` : `${writeReport(figures)}\n`)
}

function writeReport(figures: {
  readonly machine: string
  readonly reads: Record<string, number[]>
  readonly http: Record<string, number[]>
  readonly owners: readonly OwnerFigures[]
  readonly unknown: readonly UnknownFigures[]
}): string {
  const parts = [
    ['The session of a request, in process, store in memory', writeReads(figures.reads)],
    ['Over HTTP, 32 connections, store in memory', writeHttp(figures.http)],
    ['All sessions of one account', writeOwners(figures.owners)],
    ['Unknown ids, half session cookies, half refresh tokens', writeUnknown(figures.unknown)],
  ]
  const shown = parts.filter(([, table]) => table !== '').map(([title, table]) => `## ${title}\n\n${table}`)
  return [figures.machine, ...shown].join('\n\n')
}

/** The median of the ratios of each round: what slowed down a whole round leaves them as they are. */
function ratio(of: readonly number[] = [], to: readonly number[] = []): number {
  return medianOf(of.map((figure, round) => figure / (to[round] ?? Number.NaN)))
}

function writeReads(reads: Record<string, number[]>): string {
  const rows = Object.entries(reads).map(([name, figures]) => [
    name,
    writeFigure(medianOf(figures)),
    `${writeFigure(ratio(figures, reads.latchkey))} ×`,
  ])
  return rows.length === 0 ? '' : writeTable(['way', 'µs for a read', 'of latchkey'], rows)
}

function writeHttp(http: Record<string, number[]>): string {
  const rows = Object.entries(http).map(([name, figures]) => {
    const base = name.split(' + ')[0] ?? ''
    const without = base === name ? '' : `${writeFigure(ratio(figures, http[base]))} ×`
    return [name, writeFigure(medianOf(figures)), without]
  })
  return rows.length === 0 ? '' : writeTable(['server', 'requests/s', 'of the same without sessions'], rows)
}

function writeOwners(owners: readonly OwnerFigures[]): string {
  const rows = owners.map(({ store, sessions, listMs, revokeAllMs }) => [
    store,
    String(sessions),
    writeFigure(medianOf(listMs)),
    writeFigure(medianOf(revokeAllMs)),
    writeFigure((medianOf(revokeAllMs) * 1000) / sessions),
  ])
  return rows.length === 0
    ? ''
    : writeTable(['store', 'sessions', 'list, ms', 'revoke all, ms', 'revoke all, µs for each'], rows)
}

function writeUnknown(unknown: readonly UnknownFigures[]): string {
  const rows = unknown.map(({ store, shown, writes, before, after }) => [
    store,
    String(shown),
    String(writes),
    before ?? '–',
    after ?? '–',
  ])
  return rows.length === 0 ? '' : writeTable(['store', 'ids shown', 'writes', 'size before', 'size after'], rows)
}

function describeMachine(): string {
  const manifest = (name: string) => new URL(`../node_modules/${name}/package.json`, import.meta.url)
  const version = (name: string): string => `${name} ${JSON.parse(readFileSync(manifest(name), 'utf8')).version}`
  const packages = ['express', 'express-session', 'better-auth', 'ioredis'].map(version).join(', ')
  const cores = `${availableParallelism()} cores of ${cpus()[0]?.model.trim() ?? 'unknown'}`
  return `${new Date().toISOString().slice(0, 10)}, Node.js ${process.versions.node}, ${cores}, ${packages}`
}
