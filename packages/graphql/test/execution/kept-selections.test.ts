import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { compileAccess, createGraphqlHandler } from '@latchkey/graphql'
import { createIdentityReader } from '@latchkey/http'
import { definePolicy } from '@latchkey/rbac'
import { buildSchema } from 'graphql'
import { beforeAll, expect, test } from 'vitest'
import { untilExecutorIsLoaded } from '../support/lean-execution.ts'

const policy = definePolicy({ permissions: ['notes:read'], roles: {} })
const schema = buildSchema('type Query { a: Query, b: String }')
const rules = { 'Query.a': 'public', 'Query.b': 'public' } as const
Object.assign(schema.getQueryType()?.getFields().a ?? {}, { resolve: () => ({ b: 'text' }) })
const limits = { aliases: 1000, queryRootFields: 1000 }
const handler = createGraphqlHandler({
  access: compileAccess({ schema, policy, rules, limits }),
  identify: createIdentityReader({ bearer: { verify: async () => policy.identify(null) } }),
})
const headers = { 'content-type': 'application/json' }

async function ask(query: string, variables: object = {}): Promise<unknown> {
  const body = JSON.stringify({ query, variables })
  const response = await handler.fetch(new Request('https://example.com/', { method: 'POST', headers, body }))
  return response.json()
}

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

beforeAll(untilExecutorIsLoaded)

test('documents that have no end of aliases fill no memory by being executed', async () => {
  const askAll = async (from: number, to: number) => {
    for (let index = from; index < to; index++) {
      const fields = Array.from({ length: 20 }, (_none, at) => `a${at}: a { b }`).join(' ')
      expect(await ask(`query Q${index} { ${fields} }`)).toMatchObject({ data: { a0: { b: 'text' } } })
    }
  }
  await askAll(0, 20)
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  await askAll(20, 750)
  collectGarbage()
  // Documents and plans take up to 14 of them, 750 operations with all their fields would take another 20.
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(20_000_000)
})

test.each([
  ['@include(if: $more)', { more: true }, { more: false }],
  ['@ skip(if: $more)', { more: false }, { more: true }],
  ['@ #\n include(if: $more)', { more: true }, { more: false }],
])('fields with %s are collected anew for each request', async (condition, some, none) => {
  const query = `query Q($more: Boolean!) { b a { b ... ${condition} { more: b } } }`
  for (const _time of ['first', 'second', 'third']) {
    expect(await ask(query, some)).toEqual({ data: { b: null, a: { b: 'text', more: 'text' } } })
    expect(await ask(query, none)).toEqual({ data: { b: null, a: { b: 'text' } } })
  }
})

test.each(['__proto__', 'constructor', 'toString', 'toJSON', 'hasOwnProperty'])(
  'a field may be answered under the name %s',
  async (name) => {
    for (const _time of ['first', 'second']) {
      const text = JSON.stringify(await ask(`{ ${name}: a { ${name}: b } }`))
      expect(text).toBe(`{"data":{"${name}":{"${name}":"text"}}}`)
    }
  },
)
