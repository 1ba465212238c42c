import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { compileAccess } from '@latchkey/graphql'
import { definePolicy } from '@latchkey/rbac'
import { buildSchema } from 'graphql-17'
import { atMost, type PartReport, type PartRun } from '../part.ts'
import { chartOfRounds, measureRounds } from '../rounds.ts'
import { median } from '../statistics.ts'
import { formatNumber } from '../table.ts'

const fillings = ['b ', 'a{b}', 'c(x:1){b}', 'a@skip(if:$no){b}', '...{b}']
const count = 1_000
const characters = 398

/** Measures the megabytes of heap for documents that were each decided once, after a garbage collection. */
export async function measureDocumentsKept(run: PartRun): Promise<PartReport> {
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')
  const figures = await measureRounds(run, fillings, async (filling) => {
    const prepare = preparedBy()
    await prepareAll(prepare, filling, 10_000, 20)
    collectGarbage()
    const before = process.memoryUsage().heapUsed
    await prepareAll(prepare, filling, 0, count)
    collectGarbage()
    return (process.memoryUsage().heapUsed - before) / 1e6
  })
  const took = (filling: string): number => median(figures[filling] ?? [])
  return {
    tables: [
      {
        title: `${count} documents of ${characters} characters`,
        head: ['full of', 'MB'],
        rows: fillings.map((filling) => [`\`${filling}\``, formatNumber(took(filling))]),
        chart: chartOfRounds('MB of heap', figures),
      },
    ],
    targets: fillings.map((filling) => atMost(60, 'MB', `\`${filling}\``, took(filling))),
    figures,
  }
}

type Prepare = (query: string) => Promise<void>

function preparedBy(): Prepare {
  const policy = definePolicy({ permissions: ['notes:read'], roles: { READER: { permissions: ['notes:read'] } } })
  const identity = policy.identify({ subject: 'acc_1', roles: ['READER'] })
  const access = compileAccess({
    schema: buildSchema('type Query { a: Query, b: String, c(x: Int): [Query!] }'),
    policy,
    rules: { 'Query.a': 'authenticated', 'Query.b': { permissions: 'notes:read' }, 'Query.c': 'authenticated' },
    limits: { aliases: 1000, cost: 10 ** 9, directives: 1000 },
  })
  return async (query) => {
    const { ok } = await access.prepare({ query, variables: { no: false } }, { identity })
    if (!ok) throw new Error(`refused: ${query}`)
  }
}

async function prepareAll(prepare: Prepare, filling: string, from: number, documents: number): Promise<void> {
  for (let index = from; index < from + documents; index++) await prepare(dense(filling, index))
}

/** One of many documents, all of them full of this. */
function dense(filling: string, index: number): string {
  const head = `query Q${String(index).padStart(5, '0')}${filling.includes('$no') ? '($no:Boolean!)' : ' '}{`
  const room = characters - 1 - head.length
  return `${head}${filling.repeat(room / filling.length).padEnd(room)}}`
}
