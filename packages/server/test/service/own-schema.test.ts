import { allowNativeDelivery } from '@latchkey/accounts'
import { authDirectives, type RuleMap } from '@latchkey/graphql'
import type { RuleOf } from '@latchkey/rbac'
import { createServer, type Server, type ServerContext } from '@latchkey/server'
import { listen } from '@latchkey/server/node'
import { createTestServer } from '@latchkey/server/testing'
import SchemaBuilder from '@pothos/core'
import {
  buildSchema,
  GraphQLEnumType,
  type GraphQLFieldConfig,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
  printSchema,
} from 'graphql'
import { describe, expect, test } from 'vitest'
import { createMemoryStores, policy } from '../support/bench.ts'
import { createVisitor, outcomeOf } from '../support/visitor.ts'

type AppPolicy = typeof policy
type Context = ServerContext<AppPolicy>

/** A rule as `extensions` takes it, checked by the compiler against the policy. */
const auth = (rule: RuleOf<AppPolicy>) => ({ extensions: { auth: rule } })

interface Note {
  readonly text: string
  readonly writer: string
}

function buildWithPothos(): GraphQLSchema {
  const notes: Note[] = []
  const builder = new SchemaBuilder<{ Context: Context; Objects: { Note: Note } }>({})
  const mood = builder.enumType('Mood', { values: { CALM: { value: 1 }, LOUD: { value: 2 } } as const })
  builder.objectType('Note', {
    fields: (t) => ({
      text: t.exposeString('text', auth('public')),
      writer: t.string({
        ...auth('public'),
        resolve: async ({ writer }, _args, { accounts }) => (await accounts.get(writer))?.name ?? '',
      }),
    }),
  })
  builder.queryType({
    fields: (t) => ({
      notes: t.field({ type: ['Note'], ...auth('public'), resolve: () => notes }),
      mood: t.field({
        type: mood,
        nullable: true,
        args: { of: t.arg({ type: mood }) },
        resolve: (_source, { of }) => of,
      }),
    }),
  })
  builder.mutationType({
    fields: (t) => ({
      writeNote: t.field({
        type: 'Note',
        args: { text: t.arg.string({ required: true }) },
        ...auth({ permissions: 'notes:write' }),
        resolve(_source, { text }, { identity }) {
          const note = { text, writer: identity?.subject ?? '' }
          notes.push(note)
          return note
        },
      }),
    }),
  })
  return builder.toSchema()
}

const rules = { 'Query.mood': 'public' } as const

type Own = { readonly schema: GraphQLSchema } & { readonly rules?: RuleMap<AppPolicy> }

function serverOf({ rules: beside, ...own }: Own, options: { readonly baseUrl?: string } = {}): Server {
  return createServer<AppPolicy>({
    baseUrl: 'https://example.com',
    mails: { mailer: { send: async () => undefined }, maxDelayMs: 0 },
    secrets: { load: async () => [{ id: 'a', bytes: new Uint8Array(32).fill(7) }] },
    stores: createMemoryStores(),
    signUp: { role: 'READER' },
    sessions: { nativeDelivery: allowNativeDelivery },
    policy,
    ...own,
    ...(beside && { graphql: { rules: beside } }),
    ...options,
  })
}

describe('a schema of Pothos', () => {
  test('is served with the accounts over HTTP, from sign-in to a refusal', async () => {
    const makeAt = (port: number) =>
      createTestServer(serverOf({ schema: buildWithPothos(), rules }, { baseUrl: `http://127.0.0.1:${port}` }))
    const { promise, resolve } = Promise.withResolvers<Awaited<ReturnType<typeof makeAt>>>()
    const source = async ({ port }: { readonly port: number }) => {
      const one = await makeAt(port)
      resolve(one)
      return one.server
    }
    const listener = await listen(source, { port: 0, closeOn: [] })
    const made = await promise
    const [author, reader] = [await made.signedIn({ role: 'AUTHOR' }), await made.signedIn({ role: 'READER' })]
    try {
      const [writing, looking] = [1, 2].map(() => createVisitor(`http://127.0.0.1:${listener.port}`))
      expect((await writing?.signIn(author.account.email, author.password, 'TOKEN'))?.status).toBe(200)
      const write = 'mutation { writeNote(text: "Otters") { text writer } }'
      expect((await writing?.ask(write))?.data).toEqual({ writeNote: { text: 'Otters', writer: author.account.name } })
      expect((await looking?.ask('{ notes { text writer } mood(of: LOUD) }'))?.data).toEqual({
        notes: [{ text: 'Otters', writer: author.account.name }],
        mood: 'LOUD',
      })
      const refused = await looking?.ask(write)
      expect(refused && outcomeOf(refused)).toEqual([401, 'UNAUTHENTICATED'])
      expect((await looking?.signIn(reader.account.email, reader.password, 'TOKEN'))?.status).toBe(200)
      const forbidden = await looking?.ask(write)
      expect(forbidden && outcomeOf(forbidden)).toEqual([403, 'FORBIDDEN'])
      expect((await looking?.ask('{ viewer { email role } }'))?.data.viewer.role).toBe('READER')
    } finally {
      await listener.close()
    }
  })

  test('has the same rules of the accounts as a schema of text, and its own', () => {
    const { access } = serverOf({ schema: buildWithPothos(), rules })
    const written = serverOfText('type Query { hello: String! @public }').access
    const ruleOf = ({ fields }: typeof access) =>
      new Map(fields.map((one) => [one.coordinate, one.rules.map(({ text }) => text)]))
    const [ours, theirs] = [ruleOf(written), ruleOf(access)]
    for (const [coordinate, texts] of ours) {
      if (coordinate !== 'Query.hello') expect([coordinate, theirs.get(coordinate)]).toEqual([coordinate, texts])
    }
    expect(theirs.get('Mutation.writeNote')).toEqual(['notes:write'])
    expect(theirs.get('Query.mood')).toEqual([]) // public
  })

  test('is not changed, and may be used for another server', () => {
    const schema = buildWithPothos()
    const before = printSchema(schema)
    serverOf({ schema, rules })
    serverOf({ schema, rules })
    expect(printSchema(schema)).toBe(before)
    expect(schema.getQueryType()?.getFields().viewer).toBeUndefined()
  })
})

const field: GraphQLFieldConfig<unknown, Context> = { type: GraphQLString, resolve: () => 'yes', ...auth('public') }
const root = (name: string, fields = { hello: field }) => new GraphQLObjectType({ name, fields })

describe('a schema of plain objects', () => {
  test.each([
    ['has no mutations', new GraphQLSchema({ query: root('Query') }), 'query'],
    ['names its roots otherwise', new GraphQLSchema({ query: root('Asked'), mutation: root('Done') }), 'query'],
    ['has nothing but mutations', new GraphQLSchema({ mutation: root('Mutation') }), 'mutation'],
    ['was built from text', buildSchema(`${authDirectives} type Query { hello: String @public }`), 'query'],
  ])('gets the account fields if it %s', async (_what, schema, operation) => {
    const { signedIn, visitor } = await createTestServer(serverOf({ schema }))
    expect((await visitor().graphql(`${operation} { hello }`)).status).toBe(200)
    const reader = await signedIn({ role: 'READER' })
    expect(await reader.graphql('{ viewer { name } }')).toMatchObject({
      data: { viewer: { name: reader.account.name } },
    })
    expect(await reader.graphql('mutation { signOut }')).toMatchObject({ data: { signOut: true } })
    expect((await reader.graphql('{ viewer { name } }')).status).toBe(401)
  })

  test.each([
    ['Account', new GraphQLSchema({ query: root('Query', { hello: { ...field, type: root('Account') } }) })],
    ['Session', new GraphQLSchema({ query: root('Query'), types: [root('Session')] })],
    [
      'Role',
      new GraphQLSchema({ query: root('Query'), types: [new GraphQLEnumType({ name: 'Role', values: { A: {} } })] }),
    ],
    ['Query.viewer', new GraphQLSchema({ query: root('Query', { viewer: field } as never) })],
    ['Asked.viewer', new GraphQLSchema({ query: root('Asked', { viewer: field } as never) })],
    [
      'Mutation.signIn, Mutation.signOut',
      new GraphQLSchema({
        query: root('Query'),
        mutation: root('Mutation', { signIn: field, signOut: field } as never),
      }),
    ],
    ['Mutation', new GraphQLSchema({ query: root('Query'), types: [root('Mutation')] })],
  ])('is refused with a definition of the accounts, which is named: %s', (name, schema) => {
    expect(() => serverOf({ schema })).toThrow(`"schema" already has ${name}, which belongs to the accounts`)
    expect(() => serverOf({ schema })).toThrow(TypeError)
  })

  test.each([
    ['Account.email', { 'Account.email': 'public' }],
    ['Account', { Account: 'public' }],
    ['Query.viewer', { 'Query.viewer': 'public' }],
    ['Mutation.setRole', { 'Mutation.setRole': { permissions: 'notes:write' } }],
    ['SignInPayload.accessToken', { 'SignInPayload.accessToken': 'authenticated' }],
  ] as [string, RuleMap<AppPolicy>][])('keeps the rule of %s', (name, loosened) => {
    const schema = new GraphQLSchema({ query: root('Query') })
    expect(() => serverOf({ schema, rules: loosened })).toThrow(`"graphql.rules": ${name} belongs to the accounts`)
    expect(() => serverOf({ schema, rules: loosened })).toThrow(TypeError)
  })

  test.each([
    [
      'Query.open: has no rule',
      new GraphQLSchema({ query: root('Query', { open: { type: GraphQLString } } as never) }),
    ],
    [
      '@public is defined otherwise',
      buildSchema('directive @public(to: String) on FIELD_DEFINITION type Query { hello: String @public }'),
    ],
    [
      '"schema" is not valid',
      new GraphQLSchema({
        query: root('Query', { hello: { ...field, type: new GraphQLNonNull(root('Empty', {} as never)) } }),
      }),
    ],
  ])('is checked like any other: %s', (message, schema) => {
    expect(() => serverOf({ schema })).toThrow(message)
    expect(() => serverOf({ schema })).toThrow(TypeError)
  })
})

describe('a schema is given in one form', () => {
  const schema = new GraphQLSchema({ query: root('Query') })
  const typeDefs = 'type Query { hello: String! @public }'
  const resolvers = { Query: { hello: () => 'Hello' } }
  test.each([
    ['"typeDefs" must be a text in the schema language, or "schema"', {}],
    ['"typeDefs" must be a text in the schema language, or "schema"', { resolvers }],
    ['"schema" replaces', { schema, typeDefs, resolvers }],
    ['"schema" replaces', { schema, typeDefs }],
    ['"schema" replaces', { schema, resolvers }],
    ['"graphql.rules" goes with "schema"', { typeDefs, resolvers, rules: {} }],
    ['"graphql.rules" must be an object', { schema, rules: 'public' }],
    ['"schema" must be a GraphQLSchema', { schema: typeDefs }],
    ['"schema" must be a GraphQLSchema', { schema: null }],
    ['"schema" must be a GraphQLSchema', { schema: {} }],
  ])('%s %#', (message, own) => {
    expect(() => serverOf(own as never)).toThrow(message)
    expect(() => serverOf(own as never)).toThrow(TypeError)
  })
})

function serverOfText(typeDefs: string): Server {
  return serverOf({ typeDefs, resolvers: {} } as never)
}
