import { atLeast, type PartReport, type PartRun } from '../part.ts'
import { measureRounds } from '../rounds.ts'
import { median, medianRatio } from '../statistics.ts'
import { formatNumber, formatRatio } from '../table.ts'
import { type GraphqlTarget, startGraphql } from './graphql-load.ts'
import { graphqlWays } from './graphql-ways.ts'

/** A GraphQL request over HTTP: ours beside the servers that people would use instead, and the least that does the job. */
export async function measureGraphqlHttp(run: PartRun): Promise<PartReport> {
  const names = Object.keys(graphqlWays).filter((name) => name.includes(run.own.servers ?? ''))
  const targets = new Map<string, GraphqlTarget>()
  for (const name of names) targets.set(name, await startGraphql(name))
  try {
    for (const target of targets.values()) await target.measure(1)
    const figures = await measureRounds(run, names, async (name) => {
      const figure = await targets.get(name)?.measure(run.seconds)
      if (!figure) throw new Error(`${name} was not started`)
      return figure
    })
    const rates = new Map(Object.entries(figures).map(([name, rows]) => [name, rows.map((row) => row.perSecond)]))
    const ratio = (of: string, to: string): number => medianRatio(rates.get(of), rates.get(to))
    const rows = names.map((name) => [
      name,
      formatNumber(median(rates.get(name) ?? [])),
      formatNumber(median((figures[name] ?? []).map((row) => row.cpuMicroseconds))),
      ...bases.map((base) => formatRatio(ratio(name, base))),
    ])
    const head = ['server', 'requests/s', 'CPU µs each', ...bases.map((base) => `of ${base}`)]
    const title = '32 connections, one query with two root fields and eleven objects'
    return { tables: [{ title, head, rows }], targets: judge(names, ratio), figures }
  } finally {
    for (const target of targets.values()) target.close()
  }
}

/** Promises of which both sides were measured. */
function judge(names: readonly string[], ratio: (of: string, to: string) => number): PartReport['targets'] {
  return promises
    .filter(([way, base]) => names.includes(way) && names.includes(base))
    .map(([way, base, least]) => atLeast(least, `requests/s, × ${base}`, way, ratio(way, base)))
}

const bases = ['node:http alone', 'latchkey, anonymous', 'Mercurius + mercurius-auth'] as const

const promises: readonly (readonly [way: string, base: string, least: number])[] = [
  ['latchkey, token seen', 'latchkey, anonymous', 0.95],
  ['latchkey, token unseen', 'latchkey, anonymous', 0.65],
  ['latchkey, token seen', 'Mercurius + mercurius-auth', 1.5],
  ['latchkey, token seen', 'Mercurius + fast-jwt, by hand', 1.5],
  ['latchkey, token seen', 'Mercurius JIT + fast-jwt, by hand', 0.85],
]
