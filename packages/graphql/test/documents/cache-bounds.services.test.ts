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

/** Returns the additional memory after the work. */
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

test('a document keeps no memory for operation names that it does not have', async () => {
  const query = 'query A { note } query B { note }'
  const askAll = async (to: number) => {
    for (let index = 0; index < to; index++) expect((await prepare(query, `Operation${index}`)).ok).toBe(false)
  }
  await askAll(20)
  expect(await heldBy(() => askAll(5_000))).toBeLessThan(10_000_000)
})

const wide = buildSchema('type Query { a: Query, b: String, c(x: Int): [Query!] }')
const roomy = { aliases: 1000, cost: 10 ** 9 }

/** One of many documents of 398 characters, all of them full of this. */
function dense(filling: string, index: number): string {
  const head = `query Q${String(index).padStart(5, '0')} {`
  return `${head}${filling.repeat((397 - head.length) / filling.length).padEnd(397 - head.length)}}`
}

// Guards against a cache that is bounded by number alone, or by more characters: these took up to 266 megabytes.
test.each([
  ['fields', 'b '],
  ['selection sets', 'a{b}'],
  ['arguments', 'c(x:1){b}'],
  ['conditions', 'a@skip(if:$no){b}'],
  ['inline fragments', '...{b}'],
])('a thousand documents full of %s take at most 60 megabytes', async (_what, filling) => {
  const rules = {
    'Query.a': 'authenticated',
    'Query.b': { permissions: 'notes:read' },
    'Query.c': 'authenticated',
  } as const
  const many = compileAccess({ schema: wide, policy, rules, limits: { ...roomy, directives: 1000 } })
  const identity = policy.identify({ subject: 'acc_1', roles: ['READER'] })
  const askAll = async (from: number, to: number) => {
    for (let index = from; index < to; index++) {
      const query = dense(filling, index).replace(' {', filling.includes('$no') ? '($no:Boolean!){' : ' {')
      expect((await many.prepare({ query, variables: { no: false } }, { identity })).ok).toBe(true)
    }
  }
  await askAll(10_000, 10_020)
  expect(await heldBy(() => askAll(0, 1_000))).toBeLessThan(60_000_000)
})

test('four hundred documents of usual size are all kept', async () => {
  const many = compileAccess({
    schema: wide,
    policy,
    rules: { 'Query.a': 'public', 'Query.b': 'public', 'Query.c': 'public' },
  })
  const documentOf = async (index: number) => {
    const query = `query Q${index}($first: Int!, $more: Boolean = true) {
  a {
    b
    c(x: $first) {
      b
      a { b }
    }
  }
  other: a @include(if: $more) {
    b
    c(x: 3) { ...F }
  }
}
fragment F on Query { # ${'.'.repeat(150)}
  b
  a { b }
}`
    const verdict = await many.prepare({ query, variables: { first: 2 } }, { identity: null })
    return verdict.ok ? verdict.args.document : null
  }
  const first = await documentOf(0)
  expect(first).not.toBeNull()
  for (let index = 1; index < 400; index++) await documentOf(index)
  expect(await documentOf(0)).toBe(first)
})
