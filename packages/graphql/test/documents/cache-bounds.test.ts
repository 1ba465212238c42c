import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { compileAccess } from '@latchkey/graphql'
import { definePolicy } from '@latchkey/rbac'
import { buildSchema } from 'graphql'
import { expect, test } from 'vitest'

const policy = definePolicy({ permissions: ['notes:read'], roles: { READER: { permissions: ['notes:read'] } } })
const schema = buildSchema('type Query { note(of: ID): String }')
const access = compileAccess({ schema, policy, rules: { 'Query.note': 'public' } })
const prepare = (query: string, operationName: string | null = null) =>
  access.prepare({ query, operationName }, { identity: null })

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

/** How much more memory is held after the work than before. */
async function heldBy(work: () => Promise<void>): Promise<number> {
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  await work()
  collectGarbage()
  return process.memoryUsage().heapUsed - before
}

test('bad documents, however many and long, are not all kept', async () => {
  const filling = '.'.repeat(7_000)
  const askAll = async (from: number, to: number) => {
    for (let index = from; index < to; index++) expect((await prepare(`{ nope } #${index}${filling}`)).ok).toBe(false)
  }
  await askAll(0, 20)
  // All of them would take seventy megabytes.
  expect(await heldBy(() => askAll(20, 1_000))).toBeLessThan(15_000_000)
})

test('of a document nothing is kept for operations that it does not have', async () => {
  const query = 'query A { note } query B { note }'
  const askAll = async (to: number) => {
    for (let index = 0; index < to; index++) expect((await prepare(query, `Operation${index}`)).ok).toBe(false)
  }
  await askAll(20)
  expect(await heldBy(() => askAll(5_000))).toBeLessThan(10_000_000)
})
