import { GraphQLEnumType, GraphQLScalarType, printType } from 'graphql'
import { describe, expect, test } from 'vitest'
import { createBench } from '../support/bench.ts'

interface Texts {
  readonly typeDefs: string | readonly string[]
  readonly resolvers?: object
}

const start = ({ typeDefs, resolvers = {} }: Texts) =>
  createBench({ options: { typeDefs, resolvers: resolvers as never } })

async function ask(texts: Texts, query: string): Promise<unknown> {
  const { data, text } = await start(texts).visitor().ask(query)
  return data ?? text
}

function typeOf(typeDefs: Texts['typeDefs'], name: string): string {
  const type = start({ typeDefs }).server.access.schema.getType(name)
  return type ? printType(type) : ''
}

function refusalOf(texts: Texts): unknown {
  try {
    start(texts)
  } catch (error) {
    return error
  }
  return null
}

describe('several texts form a single schema', () => {
  test.each([
    ['an object', 'T', ['type T { a: Int @public }', 'type T { b: Int @public }'], 'type T {\n  a: Int\n  b: Int\n}'],
    [
      'an extension before it',
      'T',
      ['extend type T { b: Int @public }', 'type T { a: Int @public }'],
      'type T {\n  b: Int\n  a: Int\n}',
    ],
    ['an input', 'I', ['input I { a: Int }', 'extend input I { b: Int = 2 }'], 'input I {\n  a: Int\n  b: Int = 2\n}'],
    ['an enum', 'E', ['enum E { A B }', 'enum E { B C }'], 'enum E {\n  A\n  B\n  C\n}'],
    [
      'a union',
      'U',
      ['type T { a: Int @public } union U = T', 'type S { a: Int @public } extend union U = S'],
      'union U = T | S',
    ],
    [
      'a scalar',
      'D',
      ['scalar D', 'extend scalar D @specifiedBy(url: "https://example.com/d")'],
      'scalar D @specifiedBy(url: "https://example.com/d")',
    ],
    [
      'an interface',
      'T',
      [
        'interface N { a: Int @public } type T implements N { a: Int @public }',
        'interface M { b: Int @public } extend type T implements M & N { b: Int @public }',
      ],
      'type T implements N & M {\n  a: Int\n  b: Int\n}',
    ],
    [
      'one field, twice the same',
      'T',
      ['type T { a(x: Int = 1): Int @public }', '"as before" type T { "again" a(x: Int = 1): Int @public }'],
      '"""as before"""\ntype T {\n  a(x: Int = 1): Int\n}',
    ],
  ])('%s', (_what, name, texts, expected) => {
    expect(typeOf(texts, name)).toBe(expected)
  })

  test('a rule of one text on a type applies to fields of other texts', () => {
    const texts = [
      'type T @requires(permissions: "notes:write") { a: Int @authenticated }',
      'extend type T { b: Int @authenticated }',
      'type Query { t: T @public }',
    ]
    const { fields } = start({ typeDefs: texts }).server.access
    const rules = fields.filter(({ coordinate }) => /^T\./.test(coordinate)).map(({ rules }) => rules)
    expect(JSON.stringify(rules[0])).toContain('notes:write')
    expect(rules).toEqual([rules[0], rules[0]])
  })

  test.each([
    ['a schema definition that names only one root', 'schema { query: Query } type Query { a: Int @public }'],
    ['an extension of the schema', 'directive @d on SCHEMA extend schema @d type Query { a: Int @public }'],
  ])('with %s the other roots are present, too', (_what, typeDefs) => {
    const { schema } = start({ typeDefs }).server.access
    expect(schema.getQueryType()?.getFields()).toHaveProperty('a')
    expect(schema.getMutationType()?.getFields()).toHaveProperty('signIn')
  })

  test.each([
    ['another type of a field', ['type T { a: Int @public }', 'type T { a: String @public }'], 'T.a'],
    ['another argument', ['type T { a(x: Int): Int @public }', 'type T { a: Int @public }'], 'T.a'],
    ['another rule of a field', ['type T { a: Int @public }', 'extend type T { a: Int @authenticated }'], 'T.a'],
    ['another default of an input field', ['input I { a: Int = 1 }', 'input I { a: Int = 2 }'], 'I.a'],
    ['another kind of type', ['type T { a: Int @public }', 'input T { a: Int }'], 'T'],
    ['another root', ['schema { query: Query }', 'type Q { a: Int @public } extend schema { query: Q }'], 'query'],
    ['an extension of what is not defined', 'extend type T { a: Int @public }', 'T'],
    ['an unknown type', 'type T { a: Missing @public }', 'Missing'],
  ])('%s is refused', (_what, typeDefs, named) => {
    const thrown = refusalOf({ typeDefs })
    expect(thrown).toBeInstanceOf(TypeError)
    expect(String(thrown)).toContain('"typeDefs" and "resolvers" are not a valid schema')
    expect(String(thrown)).toContain(named)
  })
})

describe('resolvers', () => {
  test('are functions or objects with one, and see their map as "this"', async () => {
    const texts = {
      typeDefs: 'type Query { a: Int @public, b: Int @public, c: Int @public }',
      resolvers: {
        Query: { c: () => 3, a: () => 1, b: { resolve: () => 2 } },
      },
    }
    expect(await ask(texts, '{ a b c }')).toEqual({ a: 1, b: 2, c: 3 })
    const own = {
      Query: {
        c() {
          return (this as unknown as { readonly kept: () => number }).kept()
        },
        kept: () => 7,
      },
    }
    expect(
      await ask({ typeDefs: 'type Query { c: Int @public, kept: Int @public }', resolvers: own }, '{ c }'),
    ).toEqual({ c: 7 })
  })

  test('may be the methods of a class', async () => {
    class Base {
      readonly count: () => number = () => this.start()
      start(): number {
        return 4
      }
      more(): number {
        return this.start() + 1
      }
    }
    const typeDefs = 'type Query { count: Int @public, more: Int @public }'
    expect(await ask({ typeDefs, resolvers: { Query: new Base() } }, '{ count more }')).toEqual({ count: 4, more: 5 })
  })

  test('do not include members of Object.prototype', async () => {
    const typeDefs =
      'type Query { part: Part @public } type Part { constructor: String @public, toString: String @public }'
    const resolvers = { Query: { part: () => ({ constructor: 'a', toString: 'b' }) }, Part: {} }
    expect(await ask({ typeDefs, resolvers }, '{ part { constructor toString } }')).toEqual({
      part: { constructor: 'a', toString: 'b' },
    })
  })

  test('decide which type a value of a union or an interface has', async () => {
    const typeDefs = `
      type Query { any: [U!] @public, named: [N!] @public, own: [O!] @public }
      interface N { name: String @public }
      interface O { name: String @public }
      union U = A | B
      type A implements N & O { name: String @public }
      type B implements N & O { name: String @public }
    `
    const decide = ({ kind }: { readonly kind: string }) => kind
    const values = () => [
      { kind: 'A', name: 'a' },
      { kind: 'B', name: 'b' },
    ]
    const resolvers = {
      Query: { any: values, named: values, own: values },
      U: { __resolveType: decide },
      N: { __resolveType: decide },
      A: { __isTypeOf: ({ kind }: { readonly kind: string }) => kind === 'A' },
      B: { __isTypeOf: ({ kind }: { readonly kind: string }) => kind === 'B' },
    }
    const names = [{ __typename: 'A' }, { __typename: 'B' }]
    const query = '{ any { __typename } named { __typename } own { __typename } }'
    expect(await ask({ typeDefs, resolvers }, query)).toEqual({ any: names, named: names, own: names })
  })

  test.each([
    ['an object', { LOW: 1, HIGH: 2 }],
    ['a GraphQLEnumType', new GraphQLEnumType({ name: 'Level', values: { LOW: { value: 1 }, HIGH: { value: 2 } } })],
  ])('define the internal values of an enum: %s', async (_form, Level) => {
    const typeDefs = `
      enum Level { LOW HIGH }
      input Wanted { level: Level = HIGH }
      type Query {
        seen(level: Level = HIGH, levels: [Level!] = [LOW], wanted: Wanted = {}): String @public
        level: Level @public
      }
    `
    const resolvers = { Level, Query: { seen: (_: unknown, args: unknown) => JSON.stringify(args), level: () => 1 } }
    const data = await ask({ typeDefs, resolvers }, '{ level seen given: seen(level: LOW, wanted: { level: LOW }) }')
    const given = { level: 1, levels: [1], wanted: { level: 1 } }
    expect(data).toMatchObject({ level: 'LOW' })
    const { seen, given: answered } = data as { readonly seen: string; readonly given: string }
    expect(JSON.parse(seen)).toEqual({ level: 2, levels: [1], wanted: { level: 2 } })
    expect(JSON.parse(answered)).toEqual(given)
  })

  const even = {
    serialize: (value: unknown) => Number(value) * 2,
    parseValue: (value: unknown) => {
      if (Number(value) % 2 !== 0) throw new TypeError('odd')
      return Number(value) / 2
    },
  }
  test.each([
    ['a GraphQLScalarType', new GraphQLScalarType({ name: 'Even', description: 'An even number', ...even })],
    ['an object', even],
    ['an object with underscores', { __serialize: even.serialize, __parseValue: even.parseValue }],
  ])('parse and serialize a scalar: %s', async (_form, Even) => {
    const typeDefs = 'scalar Even type Query { half(of: Even = 8): Int @public, twice(of: Int): Even @public }'
    const half = (_: unknown, { of }: { readonly of: number }) => of
    const resolvers = { Even, Query: { half, twice: half } }
    const query = '{ half given: half(of: 6) twice(of: 5) }'
    expect(await ask({ typeDefs, resolvers }, query)).toEqual({ half: 4, given: 3, twice: 10 })
    expect((await start({ typeDefs, resolvers }).visitor().ask('{ half(of: 7) }')).status).toBe(400)
  })

  test('add the description of a scalar if the text has none', () => {
    const Even = new GraphQLScalarType({ name: 'Even', description: 'An even number', ...even })
    const texts = { typeDefs: 'scalar Even type Query { a: Even @public }', resolvers: { Even, Query: {} } }
    expect(start(texts).server.access.schema.getType('Even')?.description).toBe('An even number')
  })

  test.each([
    ['of an unknown type', { Missing: {} }, '"Missing" defined in resolvers, but not in schema'],
    ['of an unknown field', { Query: { missing: () => 1 } }, 'Query.missing defined in resolvers, but not in schema'],
    ['of an unknown field of an interface', { N: { missing: () => 1 } }, 'N.missing defined in resolvers'],
    ['of an unknown value of an enum', { E: { C: 1 } }, 'E.C was defined in resolvers, but not present within E'],
    [
      'of a field of a union',
      { U: { a: () => 1 } },
      'U.a was defined in resolvers, but U is not an object or interface',
    ],
    ['that are a text', { Query: { a: 'one' } }, 'Resolver Query.a must be object or function'],
    ['of a type that are a function', { Query: () => 1 }, '"Query" defined in resolvers, but has invalid value'],
    ['with a misspelt part', { Query: { a: { resolver: () => 1 } } }, 'Query.a'],
    ['of a built-in scalar', { Int: { serialize: () => 1 } }, 'Int'],
  ])('%s are refused', (_what, resolvers, message) => {
    const typeDefs =
      'type Query { a: Int @public } enum E { A B } union U = T interface N { b: Int @public } type T { b: Int @public }'
    const thrown = refusalOf({ typeDefs, resolvers })
    expect(thrown).toBeInstanceOf(TypeError)
    expect(String(thrown)).toContain(message)
  })

  test('keep earlier resolvers if they are undefined', async () => {
    const texts = {
      typeDefs: 'type Query { a: Int @public } enum E { A }',
      resolvers: { Query: { a: undefined, viewer: undefined }, E: { A: undefined }, Mutation: undefined },
    }
    const bench = start(texts)
    expect((await bench.visitor().ask('{ a }')).data).toEqual({ a: null })
    expect((await (await bench.signedIn()).ask('{ viewer { name } }')).data).toEqual({ viewer: { name: 'A Reader' } })
  })

  test('cannot bring another rule for a field of the accounts', () => {
    const extensions = { auth: 'public' }
    const thrown = refusalOf({
      typeDefs: 'type Query { a: Int @public }',
      resolvers: { Query: { viewer: { resolve: () => null, extensions } } },
    })
    expect(thrown).toBeInstanceOf(TypeError)
    expect(String(thrown)).toContain('Query.viewer')
  })
})
