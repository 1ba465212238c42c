import { compileAccess } from '@latchkey/graphql'
import { beforeEach, describe, expect, test } from 'vitest'
import { admin, ask, asked, author, machine, policy, schemaOf } from '../support/access-fixture.ts'

const ran: string[] = []
const sdl = `
  interface Mine { note: String @owner(of: "articles") }
  type Account implements Mine {
    id: ID! @public
    email: String @owner(of: "accounts", unless: "accounts:read")
    plain: String @public
    comment(id: ID): String @owner(of: "comments", argument: "id")
    comments(ids: [[ID]]): String @owner(of: "comments", argument: "ids")
    note: String @authenticated
    strict: String! @owner(of: "accounts")
  }
  type Query { accounts: [Account!] @public, viewer: Account @authenticated, query: Query @public, article(id: ID!): String @owner(of: "articles", argument: "id") }
  type Mutation { touch: Account @authenticated }`
const accounts = [
  { id: 'author', owner: 'author', email: 'a@example.com', plain: 'p' },
  { id: 'other', owner: 'other', email: 'o@example.com', plain: 'p' },
]
const schema = schemaOf(sdl, {
  Query: {
    accounts: () => accounts,
    viewer: () => accounts[0],
    query: () => ({}),
    article: (_source, { id }: { id: string }) => `article ${id}`,
  },
  Account: {
    comment: async (_source, { id }: { id: string }) => {
      ran.push(`comment ${id}`)
      return `comment ${id}`
    },
    comments: () => {
      ran.push('comments')
      return 'comments'
    },
    email: (account: { email: string }) => {
      ran.push('email')
      return account.email
    },
    note: () => 'note',
    strict: () => 'strict',
  },
  Mutation: { touch: () => accounts[1] },
})
const access = compileAccess({ policy, schema })

beforeEach(() => {
  ran.length = 0
  asked.length = 0
})

describe('the owner of the parent object', () => {
  test('sees the field; of others it is null and FORBIDDEN, and its resolver does not run', async () => {
    const { result, codes, paths } = await ask(access, '{ accounts { id email } }', author)
    expect(result?.data).toEqual({
      accounts: [
        { id: 'author', email: 'a@example.com' },
        { id: 'other', email: null },
      ],
    })
    expect([codes, paths, ran]).toEqual([['FORBIDDEN'], ['accounts.1.email'], ['email']])
  })

  test('is not checked if the identity has the permission that replaces ownership', async () => {
    expect((await ask(access, '{ accounts { email } }', admin)).codes).toEqual([])
    expect((await ask(access, '{ accounts { email } }', machine)).codes).toEqual([])
  })

  test('is never a client without this permission', async () => {
    const client = policy.identify({ subject: 'author', kind: 'client', roles: [], scopes: [] })
    expect((await ask(access, '{ accounts { email } }', client)).verdict).toBe('FORBIDDEN')
    expect((await ask(access, '{ accounts { email } }')).verdict).toBe('UNAUTHENTICATED')
  })

  test('is checked for a rule of an interface', async () => {
    const { result } = await ask(access, '{ accounts { note } }', author)
    expect(result?.data).toEqual({ accounts: [{ note: 'note' }, { note: null }] })
  })

  test('is checked on every alias and below a mutation', async () => {
    const { result, paths } = await ask(access, 'mutation { touch { a: email b: email plain } }', author)
    expect(result?.data).toEqual({ touch: { a: null, b: null, plain: 'p' } })
    expect(paths).toEqual(['touch.a', 'touch.b'])
  })

  test('takes a field with it that cannot be null', async () => {
    const { result, codes } = await ask(access, '{ accounts { strict } }', author)
    expect([result?.data, codes]).toEqual([{ accounts: null }, ['FORBIDDEN']])
  })
})

describe('the owner of resources in nested arguments', () => {
  test('is loaded in one batch for all fields', async () => {
    const { result, codes } = await ask(
      access,
      '{ accounts { a: comment(id: 1) b: comment(id: 7) c: comment(id: 404) d: comment } }',
      author,
    )
    const own = { a: 'comment 1', b: null, c: null, d: null }
    expect(result?.data).toEqual({ accounts: [own, own] })
    expect(codes).toEqual(Array.from({ length: 6 }, () => 'FORBIDDEN'))
    expect(asked).toEqual([{ resource: 'comments', ids: ['1', '7', '404'] }])
    expect(ran).toEqual(['comment 1', 'comment 1'])
  })

  test.each(['ids: []', 'ids: [[]]', 'ids: [null]', 'ids: [[null]]', 'ids: [["1", null]]', 'ids: null'])(
    'is unknown without an id, and the field is FORBIDDEN: %s',
    async (given) => {
      const query = `{ viewer { id comments(${given}) } }`
      for (const ownership of ['reject', 'partial'] as const) {
        const { result, codes, paths } = await ask(compileAccess({ policy, schema, ownership }), query, author)
        expect(result?.data).toEqual({ viewer: { id: 'author', comments: null } })
        expect([codes, paths]).toEqual([['FORBIDDEN'], ['viewer.comments']])
      }
      expect([ran, asked]).toEqual([[], []])
      expect((await ask(access, query, admin)).result?.data).toEqual({ viewer: { id: 'author', comments: 'comments' } })
    },
  )

  test('is checked on a root field that occurs again below the root', async () => {
    const query = '{ article(id: 1) query { own: article(id: 2) foreign: article(id: 7) } }'
    const { result, paths } = await ask(access, query, author)
    expect(result?.data).toEqual({ article: 'article 1', query: { own: 'article 2', foreign: null } })
    expect(paths).toEqual(['query.foreign'])
  })

  test('is an error that is not FORBIDDEN if loading fails', async () => {
    const { result } = await ask(access, '{ viewer { comment(id: "outage") } }', author)
    expect(result?.errors?.map(({ message, extensions }) => [message, extensions])).toEqual([
      ['connection refused', {}],
    ])
  })
})

test('only fields with an owner rule are wrapped', async () => {
  const verdict = await access.prepare({ query: '{ accounts { plain } }' }, { identity: null })
  if (!verdict.ok) throw new Error('refused')
  const copy = verdict.args.schema
  const fieldsOf = (from: typeof schema, type: string) =>
    (from.getType(type) as { getFields(): Record<string, { resolve?: unknown }> }).getFields()
  expect(fieldsOf(copy, 'Account').plain?.resolve).toBeUndefined()
  expect(fieldsOf(copy, 'Account').email?.resolve).not.toBe(fieldsOf(schema, 'Account').email?.resolve)
})

test.each(['reject', 'partial'] as const)(
  'the mode %s is part of the plan, and below a mutation it is partial',
  async (ownership) => {
    const moded = compileAccess({ policy, schema, ownership })
    expect((await ask(moded, '{ accounts { id } }', author)).prepared.plan).toMatchObject({
      operation: 'query',
      ownership,
    })
    expect((await ask(moded, 'mutation { touch { id } }', author)).prepared.plan).toMatchObject({
      operation: 'mutation',
      ownership: 'partial',
      requiresIdentity: true,
      credential: false,
    })
  },
)
