import { compileAccess, type OperationVerdict } from '@latchkey/graphql'
import { type DocumentNode, execute, type GraphQLResolveInfo, graphql, Kind, parse, print, subscribe } from 'graphql'
import { beforeEach, describe, expect, test } from 'vitest'
import { author, policy, type reader, schemaOf } from '../support/access-fixture.ts'
import { since17 } from '../support/graphql-version.ts'

type PreparedArgs = Extract<OperationVerdict, { readonly ok: true }>['args']

const ran: string[] = []
const run =
  (name: string, result: unknown = true) =>
  () => {
    ran.push(name)
    return result
  }
let attack: ((context: object, info: GraphQLResolveInfo) => unknown) | null = null
const schema = schemaOf(
  `
  type Note { text: String @public, secret: String @authenticated }
  type Query {
    hello: String @public
    note: Note @public
    secret: String @authenticated
    own(id: ID!): String @owner(of: "articles", argument: "id")
    attack: String @public
  }
  type Mutation { change: Boolean @authenticated, signIn: Boolean @public @credential }
  type Subscription { ticks: Int @public, secrets: Int @authenticated }`,
  {
    Query: {
      hello: run('hello', 'hi'),
      note: () => ({}),
      secret: run('secret'),
      own: run('own'),
      attack: async (_source: never, _args: never, context: never, info: never) =>
        JSON.stringify(await attack?.(context, info)),
    },
    Note: { secret: run('Note.secret') },
    Mutation: { change: run('change'), signIn: run('signIn') },
  },
)
const access = compileAccess({ policy, schema })

async function prepared(query: string, identity = null as typeof reader | null, variables = {}): Promise<PreparedArgs> {
  const verdict: OperationVerdict = await access.prepare({ query, variables }, { identity })
  if (!verdict.ok) throw new Error(verdict.errors[0]?.message)
  return verdict.args
}
const sealError = /executes only what access\.prepare decided/
const messages = ({ errors = [] }: { errors?: readonly { message: string }[] }) => errors.map(({ message }) => message)

beforeEach(() => {
  ran.length = 0
})

test('the arguments of prepare execute any number of times', async () => {
  const args = await prepared('{ hello }')
  expect(await execute(args)).toEqual({ data: { hello: 'hi' } })
  expect(await execute({ ...args })).toEqual({ data: { hello: 'hi' } })
})

describe('the sealed schema does not execute', () => {
  test.each<[string, (args: PreparedArgs) => object]>([
    ['no context', () => ({ contextValue: undefined })],
    ['a context of one’s own', () => ({ contextValue: { identity: author } })],
    ['a copy of the context', ({ contextValue }) => ({ contextValue: { ...contextValue } })],
    ['an heir of the context', ({ contextValue }) => ({ contextValue: Object.create(contextValue) })],
    ['a proxy of the context', ({ contextValue }) => ({ contextValue: new Proxy(contextValue, {}) })],
    [
      'a structured twin',
      ({ contextValue }) => ({
        contextValue: Object.defineProperties({}, Object.getOwnPropertyDescriptors(contextValue)),
      }),
    ],
    ['another operation', () => ({ document: parse('query Good { secret }') })],
    ['the same text, parsed again', ({ document }) => ({ document: parse(print(document)) })],
    [
      'another operation of a document',
      ({ document }) => ({
        document: {
          kind: Kind.DOCUMENT,
          definitions: [...document.definitions, ...parse('query Evil { secret }').definitions],
        },
        operationName: 'Evil',
      }),
    ],
  ])('with %s', async (_what, change) => {
    const args = await prepared('query Good { hello }')
    const result = await execute({ ...args, ...change(args) })
    expect(messages(result)).toEqual([expect.stringMatching(sealError)])
    expect(ran).toEqual([])
  })

  test('the operation with other fragments', async () => {
    const args = await prepared('{ note { ...F } } fragment F on Note { text }')
    const [operation] = args.document.definitions
    const evil = parse('fragment F on Note { secret }').definitions
    const document: DocumentNode = { kind: Kind.DOCUMENT, definitions: [operation!, ...evil] }
    expect(messages(await execute({ ...args, document }))).toEqual([expect.stringMatching(sealError)])
    expect(ran).toEqual([])
  })

  test('a changed document, with another definition of an excluded fragment', async () => {
    const args = await prepared('{ note { ... on Note { ...F @include(if: false) } } } fragment F on Note { text }')
    const document: DocumentNode = {
      kind: Kind.DOCUMENT,
      definitions: [args.document.definitions[0]!, ...parse('fragment F on Note { secret }').definitions],
    }
    expect(messages(await execute({ ...args, document }))).toEqual([expect.stringMatching(sealError)])
  })

  test('the operation with variables that reach more', async () => {
    const query = 'query($more: Boolean!) { note { secret @include(if: $more) } hello @skip(if: $more) }'
    const args = await prepared(query, null, { more: false })
    expect(messages(await execute({ ...args, variableValues: { more: true } }))).toEqual([
      expect.stringMatching(sealError),
    ])
    expect(ran).toEqual([])
    expect((await execute({ ...args, variableValues: { more: false } })).errors).toBeUndefined()
  }, 5_000)

  test('the operation for an id that was not decided', async () => {
    const args = await prepared('query($id: ID!) { own(id: $id) }', author, { id: '1' })
    const result = await execute({ ...args, variableValues: { id: '7' } })
    expect(result.errors?.map(({ extensions }) => extensions.code)).toEqual(['FORBIDDEN'])
    expect(ran).toEqual([])
  })

  test('an operation in the copy for credential fields, nor a credential field in the plain copy', async () => {
    const plain = await prepared('{ hello }')
    const credential = await prepared('mutation { signIn }')
    expect(plain.schema).not.toBe(credential.schema)
    expect(messages(await execute({ ...plain, schema: credential.schema }))).toEqual([expect.stringMatching(sealError)])
    expect(messages(await execute({ ...credential, schema: plain.schema }))).toEqual([expect.stringMatching(sealError)])
    expect(ran).toEqual([])
  })

  test.each(since17('its own description'))('%s', async () => {
    const { schema: sealed } = await prepared('{ hello }')
    const result = await execute({
      schema: sealed,
      document: parse('{ __schema { types { name } } t: __type(name: "Note") { name } }'),
    })
    expect(result.data).toBeNull()
    expect(messages(result)).toEqual([expect.stringMatching(sealError)])
  })

  test('a subscription that was not prepared', async () => {
    const { schema: sealed } = await prepared('{ hello }')
    const rootValue = { async *secrets() {} }
    const answer = await subscribe({ schema: sealed, document: parse('subscription { secrets }'), rootValue })
    expect(answer).toMatchObject({ errors: [{ message: expect.stringMatching(sealError) }] })
  })
})

describe('a resolver cannot use its context for', () => {
  test.each<[string, typeof attack]>([
    [
      'another operation',
      (contextValue, { schema: sealed }) => graphql({ schema: sealed, source: '{ secret }', contextValue }),
    ],
    [
      'the same operation, parsed again',
      (contextValue, { schema: sealed }) => graphql({ schema: sealed, source: '{ attack }', contextValue }),
    ],
    [
      'a mutation',
      (contextValue, { schema: sealed }) => graphql({ schema: sealed, source: 'mutation { change }', contextValue }),
    ],
  ])('%s', async (_what, given) => {
    attack = given
    const result = await execute(await prepared('{ attack }'))
    expect(JSON.stringify(result.data)).toMatch(sealError)
    expect(ran).toEqual([])
  })

  test('a larger operation: the document cannot be changed', async () => {
    attack = (_context, { operation, fragments }) => {
      const evil = parse('{ secret }').definitions[0]
      expect(() => (operation.selectionSet.selections as unknown[]).push(evil)).toThrow(TypeError)
      expect(() => Object.assign(operation, { selectionSet: null })).toThrow(TypeError)
      expect(() => Object.assign(fragments.F!.name, { value: 'G' })).toThrow(TypeError)
      return null
    }
    const query = '{ attack ...F } fragment F on Query { hello }'
    expect((await execute(await prepared(query))).errors).toBeUndefined()
    expect((await execute(await prepared(query))).errors).toBeUndefined()
  })

  test('a decision on the original schema, which executes any operation', async () => {
    attack = (contextValue) => graphql({ schema, source: '{ secret }', contextValue })
    const result = await execute(await prepared('{ attack }'))
    expect(JSON.stringify(result.data)).toContain('secret')
    expect(ran).toEqual(['secret'])
  })
})

test('a subscription that was prepared runs, event for event', async () => {
  const args = await prepared('subscription { ticks }')
  const rootValue = {
    async *ticks() {
      yield { ticks: 1 }
      yield { ticks: 2 }
    },
  }
  const stream = await subscribe({ ...args, rootValue })
  const events: unknown[] = []
  if (!(Symbol.asyncIterator in stream)) throw new Error('no stream')
  for await (const event of stream) events.push(event)
  expect(events).toEqual([{ data: { ticks: 1 } }, { data: { ticks: 2 } }])
  expect((await access.prepare({ query: 'subscription { secrets }' }, { identity: null })).ok).toBe(false)
})

test('resolvers, types and interfaces work in the copy as in the schema', async () => {
  const original = schemaOf(
    `interface Node { id: ID! @public } type A implements Node { id: ID! @public } type B implements Node { id: ID! @public }
     union AB = A | B enum E { X Y } scalar Any
     type Query { nodes: [Node!]! @public, either(e: E = Y, any: Any): AB @public, list: [[A!]]! @public }`,
    {
      Query: {
        nodes: () => [
          { __typename: 'A', id: 1 },
          { __typename: 'B', id: 2 },
        ],
        either: (_source, { e }: { e: string }) => ({ __typename: e === 'X' ? 'A' : 'B', id: e }),
        list: () => [[{ id: 1 }], null],
      },
    },
  )
  const query =
    '{ nodes { __typename id } x: either(e: X) { ... on Node { id } __typename } y: either { ... on B { id } } list { id } __schema { types { name } } }'
  const open = compileAccess({ schema: original, policy, introspection: 'public' })
  const verdict = await open.prepare({ query }, { identity: null })
  if (!verdict.ok) throw new Error('refused')
  const fromOriginal = await graphql({ schema: original, source: query })
  expect(await execute(verdict.args)).toEqual(fromOriginal)
  expect(fromOriginal.errors).toBeUndefined()
})
