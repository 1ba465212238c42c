import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { compileAccess } from '@latchkey/graphql'
import { definePolicy } from '@latchkey/rbac'
import { buildSchema } from 'graphql'
import { expect, test } from 'vitest'

const policy = definePolicy({ permissions: ['notes:read'], roles: { READER: { permissions: ['notes:read'] } } })
const schema = buildSchema('type Query { note(of: ID): String }')

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

function heapUsed(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

// Guards against a cache that is bounded by number alone: a thousand long documents took more than a gigabyte.
test('many different long documents are answered without filling the memory', async () => {
  const access = compileAccess({ schema, policy, rules: { 'Query.note': 'public' } })
  const prepare = (index: number) =>
    access.prepare({ query: `{ ${'note '.repeat(900)} } # ${index}` }, { identity: null })
  expect((await prepare(-1)).ok).toBe(true)
  const before = heapUsed()
  for (let index = 0; index < 300; index++) await prepare(index)
  // Each takes about half a megabyte; about forty are kept.
  expect(heapUsed() - before).toBeLessThan(100_000_000)
})
