import { compileAccess } from '@latchkey/graphql'
import type { Identity } from '@latchkey/rbac'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  admin,
  ask,
  asked,
  author,
  editor,
  identityOf,
  machine,
  policy,
  reader,
  schemaOf,
} from '../support/access-fixture.ts'

const ran: string[] = []
const run = (name: string) => () => {
  ran.push(name)
  return true
}
const access = compileAccess({
  policy,
  limits: { mutationRootFields: 12 },
  schema: schemaOf(
    `
    input UpdateInput { id: ID, title: String }
    input ManyInput { ids: [ID], deeper: [[ID]] }
    scalar Stamp
    type Query { article(id: ID!): Boolean @owner(of: "articles", argument: "id"), query: Query @public }
    type Mutation {
      updateArticle(input: UpdateInput!): Boolean @requires(permissions: "articles:update") @owner(argument: "input.id")
      updateArticles(ids: [[ID!]!]!): Boolean @owner(of: "articles", argument: "ids")
      updateLists(ids: [[ID]]): Boolean @owner(of: "articles", argument: "ids")
      updateMany(input: ManyInput): Boolean @owner(of: "articles", argument: "input.ids")
      updateDeeper(input: ManyInput): Boolean @owner(of: "articles", argument: "input.deeper")
      updateNone(ids: [ID!] = []): Boolean @owner(of: "articles", argument: "ids")
      updateNumber(id: Int = 1): Boolean @owner(of: "articles", argument: "id")
      updateStamp(id: Stamp): Boolean @owner(of: "articles", argument: "id")
      deleteComment(id: ID): Boolean @owner(argument: "id", unless: "comments:delete")
      other: Boolean @public
    }`,
    {
      Query: { article: run('article') },
      Mutation: {
        updateArticle: run('updateArticle'),
        updateArticles: run('updateArticles'),
        updateLists: run('updateLists'),
        updateMany: run('updateMany'),
        updateDeeper: run('updateDeeper'),
        updateNone: run('updateNone'),
        updateNumber: run('updateNumber'),
        updateStamp: run('updateStamp'),
        deleteComment: run('deleteComment'),
        other: run('other'),
      },
    },
  ),
})
const update = 'mutation($input: UpdateInput!) { updateArticle(input: $input) }'
const verdict = async (query: string, identity: Identity | null, variables = {}) =>
  (await ask(access, query, identity, { variables })).verdict

beforeEach(() => {
  ran.length = 0
  asked.length = 0
})

describe('the owner of the resource in an argument', () => {
  test.each([
    ['an own one', author, '1', 'executed'],
    ['of another account', author, '7', 'FORBIDDEN'],
    ['a missing one', author, '404', 'FORBIDDEN'],
    ['an own one without the permission', identityOf('author', 'READER'), '1', 'FORBIDDEN'],
    ['of another account, with the bypass', admin, '7', 'executed'],
    ['a missing one, with the bypass', admin, '404', 'executed'],
    ['any, by a client', machine, '404', 'executed'],
    ['no id', author, null, 'FORBIDDEN'],
    ['an id like the prototype', author, '__proto__', 'FORBIDDEN'],
  ])('decides the verdict: %s', async (_what, identity, id, expected) => {
    expect(await verdict(update, identity, { input: { id } })).toBe(expected)
    expect(ran).toEqual(expected === 'executed' ? ['updateArticle'] : [])
  })

  test('is never a client without the bypass, even of the same name', async () => {
    const client = policy.identify({ subject: 'author', kind: 'client', roles: [], scopes: ['articles:update'] })
    expect(await verdict(update, client, { input: { id: '1' } })).toBe('FORBIDDEN')
  })

  test('is checked for an id that is omitted', async () => {
    expect(await verdict(update, author, { input: {} })).toBe('FORBIDDEN')
    expect(await verdict('mutation { deleteComment }', author)).toBe('FORBIDDEN')
  })

  test('is checked for ids from literals, variables and defaults', async () => {
    expect(await verdict('mutation { updateArticle(input: { id: 1 }) }', author)).toBe('executed')
    expect(await verdict('mutation($id: ID = "7") { updateArticle(input: { id: $id }) }', author)).toBe('FORBIDDEN')
    expect(await verdict('mutation($id: ID = "7") { updateArticle(input: { id: $id }) }', author, { id: 1 })).toBe(
      'executed',
    )
    expect(await verdict('mutation { updateNumber }', author)).toBe('executed')
    expect(await verdict('mutation { updateNumber(id: 7) }', author)).toBe('FORBIDDEN')
    expect(await verdict('mutation { updateStamp(id: { toString: "1" }) }', author)).toBe('FORBIDDEN')
    expect(await verdict('{ article(id: "7") }', author)).toBe('FORBIDDEN')
  })

  test('is checked for every id of a list', async () => {
    const query = 'mutation($ids: [[ID!]!]!) { updateArticles(ids: $ids) }'
    expect(await verdict(query, author, { ids: [['1'], ['2']] })).toBe('executed')
    expect(await verdict(query, author, { ids: [['1'], ['2', '7']] })).toBe('FORBIDDEN')
  })

  const lists = 'mutation($ids: [[ID]]) { updateLists(ids: $ids) }'
  const input = 'mutation($input: ManyInput) { FIELD(input: $input) }'
  const many = input.replace('FIELD', 'updateMany')
  const deeper = input.replace('FIELD', 'updateDeeper')
  test.each<[what: string, query: string, variables?: Record<string, unknown>]>([
    ['an empty list', lists, { ids: [] }],
    ['a list of an empty list', lists, { ids: [[]] }],
    ['a list of empty lists', lists, { ids: [[], []] }],
    ['null in a list', lists, { ids: [null] }],
    ['null beside an own one', lists, { ids: [['1'], null] }],
    ['null in a list of a list', lists, { ids: [[null]] }],
    ['null beside an own one in a list of a list', lists, { ids: [['1', null]] }],
    ['null in place of a list', lists, { ids: null }],
    ['no list', lists],
    ['an empty list as a literal', 'mutation { updateLists(ids: []) }'],
    ['an empty list as the default of a variable', 'mutation($ids: [[ID]] = []) { updateLists(ids: $ids) }'],
    ['a list of null as the default of a variable', 'mutation($ids: [[ID]] = [[null]]) { updateLists(ids: $ids) }'],
    ['an empty list as the default of the argument', 'mutation { updateNone }'],
    ['an empty list in an input object', many, { input: { ids: [] } }],
    ['a list of null in an input object', many, { input: { ids: [null] } }],
    ['an input object without the list', many, { input: {} }],
    ['no input object', many, { input: null }],
    ['an empty list in a literal object', 'mutation { updateMany(input: { ids: [] }) }'],
    [
      'an empty list of a variable in an object',
      'mutation($ids: [ID]) { updateMany(input: { ids: $ids }) }',
      { ids: [] },
    ],
    ['a list of empty lists in an input object', deeper, { input: { deeper: [[], []] } }],
    ['a list of lists of null in an input object', deeper, { input: { deeper: [['1'], [null]] } }],
  ])('is no account where no id is named: %s', async (_what, query, variables = {}) => {
    for (const identity of [author, editor]) expect(await verdict(query, identity, variables)).toBe('FORBIDDEN')
    expect([ran, asked]).toEqual([[], []])
    expect(await verdict(query, null, variables)).toBe('UNAUTHENTICATED')
    expect(await verdict(query, admin, variables)).toBe('executed')
    expect(ran).toHaveLength(1)
  })

  test('is replaced by the permission of "unless": own, or comments:delete', async () => {
    const remove = (id: string) => `mutation { deleteComment(id: "${id}") }`
    expect(await verdict(remove('1'), author)).toBe('executed')
    expect(await verdict(remove('7'), author)).toBe('FORBIDDEN')
    expect(await verdict(remove('7'), editor)).toBe('executed')
    expect(await verdict(remove('404'), editor)).toBe('executed')
    expect(await verdict(remove('1'), null)).toBe('UNAUTHENTICATED')
    expect(await verdict(remove('7'), reader)).toBe('FORBIDDEN')
  })
})

describe('several root fields', () => {
  test('are decided together, before any of them runs', async () => {
    const query = 'mutation { a: other b: updateNumber(id: 1) c: updateNumber(id: 7) d: deleteComment(id: 7) }'
    const answer = await ask(access, query, author)
    expect(answer.verdict).toBe('FORBIDDEN')
    expect(answer.paths).toEqual(['c', 'd'])
    expect(ran).toEqual([])
  })

  test('ask once for each kind of resource, and each id once', async () => {
    const query =
      'mutation { a: updateNumber(id: 1) b: updateNumber(id: 2) c: updateNumber(id: 1) d: deleteComment(id: 1) }'
    expect(await verdict(query, author)).toBe('executed')
    expect(asked).toEqual([
      { resource: 'articles', ids: ['1', '2'] },
      { resource: 'comments', ids: ['1'] },
    ])
    expect(ran).toHaveLength(4)
  })

  test('are checked without the excluded field', async () => {
    const query = 'mutation($no: Boolean!) { a: updateNumber(id: 7) @include(if: $no) b: updateNumber(id: 1) }'
    expect(await verdict(query, author, { no: false })).toBe('executed')
    expect(asked).toEqual([{ resource: 'articles', ids: ['1'] }])
  })

  test('name ten refusals at most', async () => {
    const query = `mutation { ${Array.from({ length: 12 }, (_none, index) => `f${index}: updateNumber(id: 7)`).join(' ')} }`
    expect((await ask(access, query, author)).codes).toEqual(Array.from({ length: 10 }, () => 'FORBIDDEN'))
  })
})

test('a fragment that is spread below the root and at the root is checked as a root field', async () => {
  const query = '{ query { ...F } ...F } fragment F on Query { article(id: 7) }'
  const answer = await ask(access, query, author)
  expect([answer.verdict, answer.paths]).toEqual(['FORBIDDEN', ['article']])
})

test('no owner is loaded when the request is refused anyway', async () => {
  expect(await verdict(update, reader, { input: { id: '1' } })).toBe('FORBIDDEN')
  expect(await verdict(update, null, { input: { id: '1' } })).toBe('UNAUTHENTICATED')
  expect(asked).toEqual([])
})

test('an outage is an exception, not a no', async () => {
  const identity = author
  const params = { query: update, variables: { input: { id: 'outage' } } }
  await expect(access.prepare(params, { identity })).rejects.toThrow('connection refused')
  expect(ran).toEqual([])
})

test('an argument without a value is refused as input', async () => {
  const query = 'query($id: ID = "1") { article(id: $id) }'
  expect(await verdict(query, author, { id: null })).toBe('BAD_USER_INPUT')
})
