import { authDirectives, compileAccess } from '@latchkey/graphql'
import { definePolicy } from '@latchkey/rbac'
import { buildSchema, execute } from 'graphql-17'
import type { PartReport, PartRun } from '../part.ts'
import { chartOfRounds, measureRounds } from '../rounds.ts'
import { median } from '../statistics.ts'
import { formatNumber } from '../table.ts'
import { microsecondsPer } from '../time-calls.ts'

const queries: Readonly<Record<string, string>> = {
  plain: '{ articles { id title text } }',
  conditions:
    'query($yes: Boolean!) { articles { id title @include(if: $yes) ...F @include(if: $yes) } } fragment F on Article { text }',
}

/** Measures a decision on a document that was seen before. */
export async function measureGraphqlPrepare(run: PartRun): Promise<PartReport> {
  const policy = definePolicy({ permissions: ['articles:read'], roles: { READER: { permissions: ['articles:read'] } } })
  const schema = buildSchema(`${authDirectives}
    type Article { id: ID! @public, title: String! @authenticated, text: String! @requires(permissions: "articles:read") }
    type Query { articles(first: Int = 10): [Article!]! @requires(permissions: "articles:read") }`)
  const access = compileAccess({ schema, policy })
  const identity = policy.identify({ subject: 'acc_1', roles: ['READER'] })
  const rootValue = { articles: Array.from({ length: 10 }, (_none, id) => ({ id, title: 'T', text: 'text' })) }
  const ways: Record<string, () => unknown> = {}
  for (const [name, query] of Object.entries(queries)) {
    const prepare = () => access.prepare({ query, variables: { yes: true } }, { identity })
    const verdict = await prepare()
    if (!verdict.ok) throw new Error(`${name} was refused`)
    ways[`${name}: execute alone`] = () => execute({ ...verdict.args, rootValue })
    ways[`${name}: prepare alone`] = prepare
  }
  for (const work of Object.values(ways)) await microsecondsPer(work, 0.3)
  const figures = await measureRounds(run, Object.keys(ways), (name) => microsecondsPer(ways[name], run.seconds))
  const rows = Object.entries(figures).map(([name, rounds]) => [name, formatNumber(median(rounds))])
  const chart = chartOfRounds('µs for a request', figures)
  return { tables: [{ title: 'Ten articles, three fields', head: ['way', 'µs'], rows, chart }], targets: [], figures }
}
