import type { LoadTarget } from '../load/load-target.ts'
import { writeSliceTable } from '../load/slice-table.ts'
import { measureSlices, type Slices, speedRatio } from '../load/slices.ts'
import { atLeast, type PartReport, type PartRun, type Target } from '../part.ts'
import { startGraphql } from './graphql-load.ts'
import { graphqlWays, type SchemaName } from './graphql-ways.ts'

const titles: Readonly<Record<SchemaName, string>> = {
  ours: 'One query with two root fields and eleven objects',
  peers: 'Five root fields with promises, as mercurius-auth measures itself',
}

/** Measures a GraphQL request over HTTP: Latchkey, its alternative servers, and the minimum that does the job. */
export async function measureGraphqlHttp(run: PartRun): Promise<PartReport> {
  const slices = { ours: await measureSchema('ours', run), peers: await measureSchema('peers', run) }
  const measured = Object.entries(slices) as [SchemaName, Slices][]
  return {
    tables: measured.map(([schema, of]) => writeSliceTable(of, { title: titles[schema], bases })),
    targets: measured.flatMap(([schema, of]) => judge(schema, of)),
    figures: slices,
  }
}

async function measureSchema(schema: SchemaName, run: PartRun): Promise<Slices> {
  const names = Object.keys(graphqlWays[schema]).filter((name) => name.includes(run.own.servers ?? ''))
  const targets: LoadTarget[] = []
  try {
    for (const name of names) {
      run.progress(`starting ${name}`)
      targets.push(await startGraphql(schema, name))
    }
    return await measureSlices(run, targets)
  } finally {
    for (const target of targets) await target.close()
  }
}

const limit = 'node:http alone'
const plugin = 'Mercurius + mercurius-auth'
const byHand = 'Mercurius JIT + fast-jwt, by hand'
const bases = [limit, 'latchkey, anonymous', plugin, byHand].map((base) => ({ head: `of ${base}`, baseOf: () => base }))

const promises: readonly (readonly [schema: SchemaName, way: string, base: string, least: number])[] = [
  ['ours', 'latchkey, token seen', plugin, 1.1],
  ['peers', 'latchkey, token seen', plugin, 1.4],
  ['ours', 'latchkey, token seen', byHand, 0.85],
  ['peers', 'latchkey, token seen', byHand, 0.85],
  ['ours', 'latchkey, token seen', limit, 0.35],
  ['ours', 'latchkey, token seen', 'latchkey, anonymous', 0.95],
  ['ours', 'latchkey, token unseen', 'latchkey, anonymous', 0.65],
]

/** Promises of which both sides were measured, each with the strongest of the others by the same measure. */
function judge(schema: SchemaName, slices: Slices): Target[] {
  const others = Object.keys(slices).filter((name) => !name.startsWith('latchkey') && name !== limit)
  return promises
    .filter(([of, way, base]) => of === schema && slices[way] && slices[base])
    .map(([, way, base, least]) => {
      const peers = others.map((name) => ({ name, measured: speedRatio(slices, name, base) }))
      const promise = `speed, × ${base}${schema === 'peers' ? ", peers' schema" : ''}`
      return atLeast(least, promise, way, speedRatio(slices, way, base), peers)
    })
}
