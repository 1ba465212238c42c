import { authDirectives, compileAccess, type RuleMap } from '@latchkey/graphql'
import {
  buildASTSchema,
  DirectiveLocation,
  extendSchema,
  GraphQLDirective,
  GraphQLEnumType,
  GraphQLInputObjectType,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
  parse,
  specifiedDirectives,
} from 'graphql'
import { describe, expect, test } from 'vitest'
import { policy, schemaOf, type TestPolicy } from '../support/access-fixture.ts'

const problemsOf = (schema: GraphQLSchema, rules: RuleMap<TestPolicy> = {}): string => {
  try {
    compileAccess({ schema, policy, rules })
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return error.message
  }
  return ''
}
/** A schema as tools build it that do not validate SDL. */
const unvalidated = (sdl: string) => buildASTSchema(parse(sdl), { assumeValidSDL: true, assumeValid: true })

describe('a schema without gaps', () => {
  test('compiles', () => {
    const sdl = `
      interface Node @authenticated { id: ID! @authenticated }
      type Article implements Node { id: ID! @authenticated, title: String @requires(permissions: "articles:read") }
      union Result = Article
      enum Kind { A B }
      input Filter { kind: Kind = A }
      type Query { find(filter: Filter): [Result!] @authenticated, hello: String @public }`
    expect(problemsOf(schemaOf(sdl))).toBe('')
  })

  test('may take its rules from extensions of types and fields, from code, and from a map', () => {
    const base = schemaOf('type Query { a: String @public }')
    const extended = extendSchema(base, parse('extend type Query { b: String @authenticated }'))
    expect(problemsOf(extended)).toBe('')
    const query = new GraphQLObjectType({
      name: 'Query',
      extensions: { auth: 'authenticated' },
      fields: {
        a: { type: GraphQLString, extensions: { auth: { permissions: 'articles:read' } } },
        b: { type: GraphQLString },
      },
    })
    expect(problemsOf(new GraphQLSchema({ query }), { 'Query.b': 'authenticated' })).toBe('')
  })

  test('lists every coordinate that has no rule, once and sorted, and shows how the first is written in a schema and in rules', () => {
    const sdl = `
      interface Node { id: ID! }
      type Article implements Node { id: ID!, title: String @public }
      type Query { z: Article, a: String @public }
      type Mutation { m: String }
      type Subscription { s: String }`
    const lines = problemsOf(schemaOf(sdl)).split('\n').slice(1)
    expect(lines).toEqual([
      ...['Article.id', 'Mutation.m', 'Node.id', 'Query.z', 'Subscription.s'].map((name) => `  ${name}: has no rule`),
      'Give each field a rule of its own: @public, @authenticated, @requires(permissions: …) or @owner(…).',
      `Or write it in "rules": 'Article.id': 'public', 'authenticated' or { permissions: … }.`,
    ])
  })

  test('reports a rule that cannot be read as a single problem, without advice', () => {
    const lines = problemsOf(schemaOf('type Query { a: String @requires(permissions: "articles:raed") }')).split('\n')
    expect(lines.slice(1)).toEqual(['  Query.a: unknown permission "articles:raed"'])
  })

  test('needs rules on fields, because rules on types do not cover fields', () => {
    expect(problemsOf(schemaOf('type Query @authenticated { a: String }'))).toContain('Query.a: has no rule')
    expect(problemsOf(schemaOf('type Query { a: String @credential }'))).toContain('Query.a: the rule asks for nothing')
  })
})

describe('a contradictory rule is refused:', () => {
  test.each([
    [
      'public in a type with a requirement',
      'type Query @authenticated { a: String @public }',
      'Query.a: is "public" in a type',
    ],
    [
      'public in a type whose interface has a requirement',
      'interface I @authenticated { a: String @public } type Query implements I { a: String @public }',
      'Query.a: is "public" in a type',
    ],
    [
      'public beside a requirement',
      'type Query { a: String @public @authenticated }',
      '"public" cannot stand beside authenticated',
    ],
    [
      'an unknown permission',
      'type Query { a: String @requires(permissions: "articles:raed") }',
      'Query.a: unknown permission "articles:raed"',
    ],
    [
      'an unknown permission of a type',
      'type Query @requires(permissions: "x:y") { a: String @authenticated }',
      'Query: unknown permission "x:y"',
    ],
    [
      'permissions that could mean any or all',
      'type Query { a: String @requires(permissions: ["articles:read", "accounts:read"]) }',
      'could mean any or all',
    ],
    [
      'an unknown resource',
      'type Query { a(id: ID!): String @owner(of: "articels", argument: "id") }',
      'no ownership of "articels"',
    ],
    [
      'an unknown argument',
      'type Query { a(id: ID!): String @owner(of: "articles", argument: "ident") }',
      'argument "ident", which the field does not have',
    ],
    [
      'an unknown input field',
      'input I { id: ID } type Query { a(input: I!): String @owner(of: "articles", argument: "input.ident") }',
      '"input.ident", which the input type does not have',
    ],
    [
      'a path through a list',
      'input I { id: ID } type Query { a(input: [I!]!): String @owner(of: "articles", argument: "input.id") }',
      '"input.id", which the input type does not have',
    ],
    [
      'an object as id',
      'input I { id: ID } type Query { a(input: I!): String @owner(of: "articles", argument: "input") }',
      '"input", which is not an id',
    ],
    [
      'an owner of the parent of a root field',
      'type Query { a: String @owner(of: "articles") }',
      'has no parent object',
    ],
    [
      'an argument that only an interface has in mind',
      'interface I { a: String @owner(of: "articles", argument: "id") } type T implements I { a: String @public } type Query { t: T @public }',
      'T.a: the owner rule names the argument "id"',
    ],
    [
      'a credential below the root',
      'type T { a: String @public @credential } type Query { t: T @public }',
      'T.a: "credential" stands on fields of Query and Mutation',
    ],
    [
      'a credential in a subscription',
      'type Query { a: String @public } type Subscription { s: String @public @credential }',
      'Subscription.s: "credential" stands on fields',
    ],
    ['a factor of no age', 'type Query { a: String @stepUp(maxAgeSeconds: 0) }', 'Query.a: "stepUp": "maxAgeSeconds"'],
  ])('%s', (_what, sdl, message) => {
    expect(problemsOf(schemaOf(sdl))).toContain(message)
  })

  test.each([
    ['public on a type', 'Query', 'public', 'covers none of its fields'],
    ['an owner rule on a type', 'Query', { owner: { of: 'articles' } }, 'an owner rule stands on fields'],
    ['a credential type', 'Query', { authenticated: true, credential: true }, '"credential" stands on root fields'],
    ['a coordinate that does not exist', 'Query.b', 'public', 'a coordinate that does not exist'],
    ['a coordinate in the prototype', '__proto__', 'public', 'a coordinate that does not exist'],
    ['a coordinate of an input', 'I.a', 'public', 'a coordinate that does not exist'],
    ['a rule that is none', 'Query.a', 'open', 'a rule is'],
  ])('%s in a map', (_what, coordinate, rule, message) => {
    const schema = schemaOf('input I { a: Int } type Query { a(i: I): String @public }')
    expect(problemsOf(schema, { [coordinate]: rule } as never)).toContain(message)
  })

  test('two sources with different rules are refused; equal rules are accepted', () => {
    const schema = schemaOf('type Query { a: String @authenticated, b: String @authenticated }')
    expect(problemsOf(schema, { 'Query.a': 'public', 'Query.b': 'authenticated' })).toBe(
      'the access cannot be compiled:\n  Query.a: two sources disagree: "authenticated" and "public"',
    )
    const query = new GraphQLObjectType({
      name: 'Query',
      fields: { a: { type: GraphQLString, extensions: { auth: 'authenticated' } } },
    })
    expect(problemsOf(new GraphQLSchema({ query }), { 'Query.a': { firstParty: true } })).toContain(
      'two sources disagree',
    )
  })
})

describe('a rule at a place without enforcement is refused:', () => {
  test.each([
    [
      'on an argument',
      'type Query { a(b: Int @authenticated): String @public }',
      'Query.a(b:): @authenticated cannot be',
    ],
    [
      'on an input field',
      'input I { a: Int @authenticated } type Query { a(i: I): String @public }',
      'I.a: @authenticated cannot be',
    ],
    [
      'on an input type',
      'input I @authenticated { a: Int } type Query { a(i: I): String @public }',
      'I: @authenticated cannot be',
    ],
    ['on an enum', 'enum E @authenticated { A } type Query { e: E @public }', 'E: @authenticated cannot be'],
    ['on an enum value', 'enum E { A @authenticated } type Query { e: E @public }', 'E.A: @authenticated cannot be'],
    [
      'on a union',
      'type A { a: Int @public } union U @authenticated = A type Query { u: U @public }',
      'U: @authenticated cannot be',
    ],
    ['on a scalar', 'scalar S @authenticated type Query { s: S @public }', 'S: @authenticated cannot be'],
    [
      'on the schema',
      'schema @authenticated { query: Query } type Query { s: String @public }',
      'schema: @authenticated cannot be',
    ],
    [
      'on the argument of a directive',
      'directive @x(a: Int @authenticated) on FIELD type Query { s: String @public }',
      '@x(a:): @authenticated cannot be',
    ],
    [
      'on the extension of an enum',
      'enum E { A } extend enum E @authenticated type Query { e: E @public }',
      'E: @authenticated cannot be',
    ],
  ])('%s', (_what, sdl, message) => {
    expect(problemsOf(unvalidated(`${authDirectives} ${sdl}`))).toContain(message)
  })

  test('an extensions.auth of arguments, input fields, enums and directives', () => {
    const auth = { auth: 'authenticated' }
    const kind = new GraphQLEnumType({ name: 'Kind', values: { A: { extensions: auth } }, extensions: auth })
    const input = new GraphQLInputObjectType({ name: 'In', fields: { kind: { type: kind, extensions: auth } } })
    const args = { input: { type: input, extensions: auth } }
    const query = new GraphQLObjectType({
      name: 'Query',
      fields: { a: { type: GraphQLString, args, extensions: { auth: 'public' } } },
    })
    const directive = new GraphQLDirective({ name: 'own', locations: [DirectiveLocation.FIELD], extensions: auth })
    const schema = new GraphQLSchema({ query, directives: [...specifiedDirectives, directive] })
    const lines = problemsOf(schema).split('\n').slice(1)
    expect(lines).toEqual(
      ['@own', 'In.kind', 'Kind.A', 'Kind', 'Query.a(input:)'].map(
        (at) => `  ${at}: extensions.auth cannot be enforced here`,
      ),
    )
  })
})

describe('compileAccess', () => {
  test.each([
    ['policy', { policy: {} }],
    ['ownership', { ownership: 'ignore' }],
    ['introspection', { introspection: 'open' }],
    ['introspection', { introspection: { owner: { of: 'articles' } } }],
    ['schema', { schema: new GraphQLSchema({}) }],
    ['schema', { schema: {} }],
    ['limit', { limit: { depth: 5 } }], // misspelt: it is "limits"
  ])('names the option "%s" that it cannot use', (name, option) => {
    const options = { schema: schemaOf('type Query { a: String @public }'), policy, ...option }
    expect(() => compileAccess(options as never)).toThrow(TypeError)
    expect(() => compileAccess(options as never)).toThrow(`"${name}"`)
  })

  test('leaves the schema as it was', () => {
    const schema = schemaOf('type Query { a: String @public }', { Query: { a: () => 1 } })
    const field = schema.getQueryType()?.getFields().a
    const resolve = field?.resolve
    compileAccess({ schema, policy })
    expect(schema.getQueryType()?.getFields().a).toBe(field)
    expect(field?.resolve).toBe(resolve)
  })
})
