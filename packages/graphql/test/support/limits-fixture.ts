import { compileAccess, createGraphqlHandler, type DocumentLimits } from '@latchkey/graphql'
import { expect } from 'vitest'
import { policy, schemaOf } from './access-fixture.ts'
import { mediaTypes, read } from './service.ts'

const numbers = Array.from({ length: 60 }, (_none, index) => index)
const schema = schemaOf(
  `directive @wide repeatable on FRAGMENT_SPREAD | FRAGMENT_DEFINITION | VARIABLE_DEFINITION | QUERY | INLINE_FRAGMENT
   type T { t: T @public, u: Int @public, list: [T!] @public, v(a: Int): Int @public }
   type Edge { node: T @public }
   type Connection { edges: [Edge!]! @public, total: Int @public }
   interface Shelf { books(first: Int = 1): [T!] @public, all: [T!] @public }
   type Narrow implements Shelf { books(first: Int = 2): [T!] @public, all: [T!] @public }
   type Wide implements Shelf { books(first: Int = 40): [T!] @public, all(limit: Int = 50): [T!] @public }
   input Sort { by: String = "u" }
   type Query {
     t: T @public, u: Int @public, shelf: Shelf @public ${numbers.map((n) => `r${n}: Int @public`).join(' ')}
     sized(first: Int = 20, sort: Sort): [T!]! @public, last(last: Int): [T] @public, limited(limit: Int!): [T] @public, needed(first: Int! = 5): [T] @public, strict(first: Int, must: Int! = 1): [T] @public
     both(first: Int, last: Int): [T] @public, connection(first: Int): Connection @public, nested: [[T]] @public
   }
   type Mutation { ${numbers.map((n) => `m${n}: Int @public`).join(' ')} t: T @public }`,
)
export const compile = (limits: Partial<DocumentLimits> = {}, introspection: 'public' | 'refused' = 'public') =>
  compileAccess({ schema, policy, limits, introspection })
export const access = compile()
export const times = (count: number, write: (index: number) => string) =>
  Array.from({ length: count }, (_, n) => write(n)).join(' ')
export const verdictOf = async (query: string, variables: Record<string, unknown> = {}, asked = access) => {
  const operationName = query.startsWith('query Q0 ') ? 'Q0' : null
  const verdict = await asked.prepare({ query, variables, operationName }, { identity: null })
  return verdict.ok ? 'prepared' : `${verdict.errors[0]?.extensions.code}: ${verdict.errors[0]?.message}`
}
const handler = createGraphqlHandler({ access, identify: { read: async () => ({ credential: null, identity: null }) } })
export const post = async (query: string, accept: string, variables = {}) => {
  const headers = { 'content-type': 'application/json', accept }
  const body = JSON.stringify({ query, variables })
  return read(await handler.fetch(new Request('https://example.com/', { method: 'POST', headers, body })))
}
/** Row 8 of the table. */
export const expectRefused = async (query: string, code: string, variables = {}) => {
  for (const accept of mediaTypes) {
    const { status, codes, body } = await post(query, accept, variables)
    expect([status, codes]).toEqual([accept === 'application/json' ? 200 : 400, [code]])
    expect(body).not.toHaveProperty('data')
  }
}
export const over = (name: keyof DocumentLimits, value: number) =>
  `QUERY_LIMIT_EXCEEDED: The document exceeds the limit "${name}" of ${value}. Request less.`
