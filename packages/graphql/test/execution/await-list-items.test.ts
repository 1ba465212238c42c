import { compileAccess } from '@latchkey/graphql'
import { definePolicy } from '@latchkey/rbac'
import { buildSchema, execute } from 'graphql'
import { expect, test } from 'vitest'
import { since17 } from '../support/graphql-version.ts'

const schema = buildSchema('type Item { n: Int! } type Query { items: [Item!]!, numbers: [Int], lists: [[Item!]!]! }')
const rules = {
  'Query.items': 'public',
  'Query.numbers': 'public',
  'Query.lists': 'public',
  'Item.n': 'public',
} as const
const access = compileAccess({ schema, policy: definePolicy({ permissions: ['a:read'], roles: {} }), rules })

async function ask(query: string, rootValue: object, signal?: AbortSignal) {
  const verdict = await access.prepare({ query }, { identity: null, signal })
  if (!verdict.ok) throw new Error(verdict.errors[0]?.message)
  return execute({ ...verdict.args, abortSignal: signal, rootValue })
}

const [one, two] = [{ n: 1 }, { n: 2 }]
async function* comeLater<Item>(items: Iterable<Item>): AsyncGenerator<Item> {
  for (const item of items) yield await new Promise<Item>((resolve) => setImmediate(() => resolve(item)))
}

test.each<readonly [what: string, items: unknown]>([
  ['a list', () => [one, two]],
  ['a set', () => new Set([one, two])],
  ['a generator', () => [one, two].values()],
  ['a promise of a list', async () => [one, two]],
  ['a list of promises', () => [Promise.resolve(one), two]],
  ...since17(
    ['an asynchronous generator', () => comeLater([one, two])] as const,
    ['a promise of one', async () => comeLater([one, two])] as const,
  ),
])('%s is answered with all its items', async (_what, items) => {
  expect(await ask('{ items { n } }', { items })).toEqual({ data: { items: [{ n: 1 }, { n: 2 }] } })
})

test.each<readonly [what: string, lists: unknown]>([
  ['lists', () => [[one], [two]]],
  ['a generator of sets', () => [new Set([one]), new Set([two])].values()],
  ['promises of lists', () => [Promise.resolve([one]), Promise.resolve([two])]],
  ...since17(
    ['asynchronous generators', () => [comeLater([one]), comeLater([two])]] as const,
    ['an asynchronous generator of them', () => comeLater([comeLater([one]), comeLater([two])])] as const,
  ),
])('lists of lists are answered with all their items: %s', async (_what, lists) => {
  expect(await ask('{ lists { n } }', { lists })).toEqual({ data: { lists: [[{ n: 1 }], [{ n: 2 }]] } })
})

test.each([
  ['a text', () => 'text'],
  ['a number', () => 7],
  ['an object', () => ({ length: 1 })],
])('%s is no list', async (_what, numbers) => {
  expect(await ask('{ numbers }', { numbers })).toMatchObject({
    data: { numbers: null },
    errors: [{ message: 'Expected Iterable, but did not find one for field "Query.numbers".', path: ['numbers'] }],
  })
})

test('a database query that starts when it is awaited starts once, in lists and iterables', async () => {
  let begun = 0
  const query = {
    // biome-ignore lint/suspicious/noThenProperty: as in a query builder
    then(resolve: (n: number) => unknown, reject: () => unknown) {
      begun++
      return Promise.resolve(7).then(resolve, reject)
    },
  }
  function* yielded() {
    yield query
  }
  for (const numbers of [() => [query], yielded]) {
    begun = 0
    expect(await ask('{ numbers }', { numbers })).toEqual({ data: { numbers: [7] } })
    expect(begun).toBe(1)
  }
})

test.each(since17('items { n }', 'lists { n }'))(
  'an asynchronous list of { %s } is closed when the operation is aborted, and read no further',
  async (selection) => {
    const client = new AbortController()
    let [read, closed] = [0, false]
    async function* endless() {
      try {
        for (;;) {
          read++
          if (read === 3) client.abort(new Error('gone'))
          yield selection.startsWith('lists') ? [one] : one
        }
      } finally {
        closed = true
      }
    }
    await expect(ask(`{ ${selection} }`, { items: endless, lists: endless }, client.signal)).rejects.toThrow('gone')
    await expect.poll(() => closed).toBe(true)
    expect(read).toBe(3)
  },
)

test.each(since17(3))('an asynchronous list that throws after %d items fails its field', async (count) => {
  async function* failing() {
    for (let n = 0; n < count; n++) yield n
    throw new Error('lost')
  }
  expect(await ask('{ numbers }', { numbers: failing })).toMatchObject({
    data: { numbers: null },
    errors: [{ message: 'lost', path: ['numbers'] }],
  })
})
