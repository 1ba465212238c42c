import { authDirectives, compileAccess } from '@latchkey/graphql'
import { definePolicy } from '@latchkey/rbac'
import { buildSchema, execute } from 'graphql'

// What a decision costs on a document that was seen before. Prints the median of rounds in microseconds.
const policy = definePolicy({ permissions: ['articles:read'], roles: { READER: { permissions: ['articles:read'] } } })
const schema = buildSchema(`${authDirectives}
  type Article { id: ID! @public, title: String! @authenticated, text: String! @requires(permissions: "articles:read") }
  type Query { articles(first: Int = 10): [Article!]! @requires(permissions: "articles:read") }`)
const access = compileAccess({ schema, policy })
const identity = policy.identify({ subject: 'acc_1', roles: ['READER'] })
const rootValue = { articles: Array.from({ length: 10 }, (_none, index) => ({ id: index, title: 'T', text: 'text' })) }
const queries = {
  plain: '{ articles { id title text } }',
  conditions:
    'query($yes: Boolean!) { articles { id title @include(if: $yes) ...F @include(if: $yes) } } fragment F on Article { text }',
}

async function microsecondsPer(work: () => unknown): Promise<number> {
  const rounds: number[] = []
  for (let round = 0; round < 15; round++) {
    const start = performance.now()
    for (let index = 0; index < 5000; index++) await work()
    rounds.push((performance.now() - start) / 5)
  }
  return rounds.sort((a, b) => a - b)[7] ?? Number.NaN
}

for (const [name, query] of Object.entries(queries)) {
  const variables = { yes: true }
  const verdict = await access.prepare({ query, variables }, { identity })
  if (!verdict.ok) throw new Error('refused')
  const { args } = verdict
  console.log(name, 'execute alone', await microsecondsPer(() => execute({ ...args, rootValue })))
  console.log(name, 'prepare alone', await microsecondsPer(() => access.prepare({ query, variables }, { identity })))
}
