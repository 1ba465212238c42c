import { compileAccess, type PreparedArgs } from '@latchkey/graphql'
import { type GraphqlJit, jitExecutor } from '@latchkey/graphql/jit'
import { definePolicy } from '@latchkey/rbac'
import fc from 'fast-check'
import { buildSchema, type GraphQLResolveInfo, GraphQLScalarType } from 'graphql'
import * as graphqlJit from 'graphql-jit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Endpoint, type EndpointParts, openEndpoint } from './support/endpoint.ts'
import { since17 } from './support/graphql-version.ts'
import { drawDocument, objects, possible, returnedBy, sdl } from './support/random-document.ts'
import { ask, bearer, cookie, mediaTypes, policy, type Service, serve } from './support/service.ts'

// Every operation is asked for until it is certainly compiled, and compared with the answer of graphql itself.

/** The module, and how many operations it has compiled. */
const made = { operations: 0, runs: 0 }
const counted: GraphqlJit = {
  compileQuery(...given) {
    const compiled = graphqlJit.compileQuery(...(given as Parameters<typeof graphqlJit.compileQuery>))
    if (!('query' in compiled)) return compiled
    made.operations++
    const query: typeof compiled.query = (...asked) => {
      made.runs++
      return compiled.query(...asked)
    }
    return { ...compiled, query }
  },
}

/** Compiled when it comes for the second time. */
const soon = { usesBeforeCompiling: 1 }

/** Before `graphql` 17 nothing is compiled. */
const sinceCompiled = (count: number) => since17(count)[0] ?? 0

/** What a client sees, without the ids, in an order that does not depend on who was first. */
function seenBy({ status, headers, body }: { status: number; headers: Headers; body: unknown }) {
  const { data, errors } = body as {
    data?: unknown
    errors?: { path?: unknown; extensions: Record<string, unknown> }[]
  }
  const told = errors?.map((error) => ({
    ...error,
    extensions: { ...error.extensions, id: typeof error.extensions.id },
  }))
  const sorted = told?.map((error) => JSON.stringify(error)).sort()
  const header = Object.fromEntries([...headers].filter(([name]) => name !== 'date' && name !== 'content-length'))
  return { status, header, data, sorted }
}

describe('the table of statuses', () => {
  let plain: Service
  let compiled: Service
  beforeAll(async () => {
    plain = await serve()
    compiled = await serve({ executor: jitExecutor(counted, soon) })
  })
  afterAll(() => Promise.all([plain.close(), compiled.close()]))

  const codes = [
    'FORBIDDEN',
    'UNAUTHENTICATED',
    'STEP_UP_REQUIRED',
    'INVALID_CREDENTIALS',
    'RATE_LIMITED',
    'SERVICE_UNAVAILABLE',
    'BAD_USER_INPUT',
    'NOT_FOUND',
    'INTERNAL_SERVER_ERROR',
    'store',
    'wrapped store',
    'unexpected',
    'same',
    'text',
    'busy',
    'GraphQL error',
    'GraphQL error with nodes',
    'unknown code',
    'known code',
    'known code with a cause',
    'wrapped refusal',
    'internal code',
    'pretended code',
    'nothing',
  ]
  const operations: readonly (readonly [
    query: string,
    variables?: Record<string, unknown>,
    headers?: Record<string, string>,
  ])[] = [
    ['{ hello }'],
    ['{ __typename }'],
    ['{'],
    ['{ nothing }'],
    ['{ viewer }'],
    ['{ hello viewer }', {}, bearer('reader')],
    ['{ accounts }', {}, bearer('reader')],
    ['{ accounts }', {}, bearer('admin')],
    ['{ articles { id } }'],
    ['{ articles { id title __typename } more: articles { id } }'],
    ['{ articles { id inner } }'],
    ['query ($name: String!) { hello(name: $name) }', { name: 'Ada' }],
    ['query ($name: String!) { hello(name: $name) }', { name: 7 }],
    ['query ($name: String! = "Ada") { hello(name: $name) }'],
    ['query ($name: String) { hello(name: $name) }', { name: 'Ada' }],
    ['query ($name: String) { hello(name: $name) }'],
    ['query ($name: String) { hello(name: $name) }', { name: null }],
    ['query ($on: Boolean!) { hello @include(if: $on) viewer @skip(if: $on) }', { on: true }],
    ['query ($on: Boolean!) { hello @include(if: $on) viewer @skip(if: $on) }', { on: false }, bearer('reader')],
    ['query ($on: Boolean = true) { a: hello @include(if: $on) b: hello @skip(if: $on) }'],
    ['query A { hello } query B { articles { title } }'],
    ['mutation { note { id title } a: note { inner } }'],
    ['mutation { updateArticle(id: 1) { id inner } }', {}, bearer('author')],
    ['mutation { updateArticle(id: 2) { id } }', {}, bearer('author')],
    ['mutation ($id: ID!) { updateArticle(id: $id) { id } }', { id: 1 }, bearer('author')],
    ['mutation { updateArticle(id: 1) { id } }', {}, cookie('author')],
    ['mutation { publishArticle(id: 1) }', {}, bearer('author')],
    ['mutation { signIn(password: "right") { ok } }'],
    ['mutation { changePassword(current: "wrong") }', {}, bearer('reader')],
    ['{ articles { a_b: id b: title } b_articles: articles { id } }'],
    ...codes.flatMap((how) => [
      [`{ hello fail(how: "${how}") }`] as const,
      [`{ hello failHard(how: "${how}") }`] as const,
      [`mutation { note { id } fail(how: "${how}") }`] as const,
      [`mutation { note(how: "${how}") { id\n  inner } }`] as const,
      [`mutation { signIn(password: "${how}") { ok } }`] as const,
    ]),
  ]

  test.each(mediaTypes)(
    'is the same for compiled operations, accepting %s',
    async (accept) => {
      for (const [query, variables = {}, headers = {}] of operations) {
        const asking = { query, variables, headers, accept }
        const expected = seenBy(await ask(plain, asking))
        for (let time = 0; time < 3; time++) {
          const given = seenBy(await ask(compiled, asking))
          expect({ query, time, ...given }).toEqual({ query, time, ...expected })
        }
      }
      // What is refused beforehand, and what graphql executes better, is not compiled.
      expect(made.operations).toBeGreaterThanOrEqual(sinceCompiled(100))
      expect(made.runs).toBeGreaterThanOrEqual(made.operations)
    },
    60_000,
  )
})

describe('random documents', () => {
  const rules = {
    'A.y': { permissions: 'accounts:read' },
    'B.x': { owner: { of: 'articles' } },
    'C.x': { permissions: 'articles:update' },
    'C.y': { owner: { of: 'articles' }, permissions: 'articles:update' },
  } as const
  const own = definePolicy({
    permissions: ['articles:update', 'accounts:read', 'ownership:bypass'],
    roles: {
      READER: {},
      AUTHOR: { permissions: ['articles:update'] },
      ADMIN: { inherits: ['AUTHOR'], permissions: ['accounts:read', 'ownership:bypass'] },
    },
    ownership: { articles: { ownerOf: ({ owner }: { readonly owner: string }) => owner } },
  })
  /** What a field gives is decided by its place. */
  const lengthOf = ({ path }: GraphQLResolveInfo): number => {
    let length = 0
    for (let at: typeof path | undefined = path; at; at = at.prev) length += String(at.key).length + 1
    return length
  }
  const texts = ['text', 'text', null, 'text', Promise.resolve('later'), new Error('a value')]
  const giveText = (length: number) => {
    if (length % 7 === 0) throw new Error('secret')
    if (length % 11 === 0) return Promise.reject(new Error('later'))
    return texts[length % texts.length]
  }
  const giveObjects = (field: string, named: string, length: number) => {
    const all = (possible[named] ?? []).map((name, index) => ({
      __typename: name,
      owner: (length + index) % 2 ? 'author' : 'reader',
      x: () => 'method',
    }))
    if (!'nmu'.includes(field)) return length % 9 === 0 ? null : all[0]
    return length % 13 === 0 ? Promise.resolve(all) : all
  }
  const resolve =
    (field: string) => (_source: unknown, _args: unknown, _context: unknown, info: GraphQLResolveInfo) => {
      const named = returnedBy(field)
      return named ? giveObjects(field, named, lengthOf(info)) : giveText(lengthOf(info))
    }
  const resolvers = Object.fromEntries(
    Object.keys(objects).flatMap((type) =>
      // `A.x` and `C.x` have none: they are methods.
      ['x', 'y', 'a', 'b', 'c', 'n', 'm', 'u']
        .filter((field) => field !== 'x' || (type !== 'A' && type !== 'C'))
        .map((field) => [`${type}.${field}`, resolve(field)]),
    ),
  )
  const limits = { tokens: 100_000, aliases: 10_000, directives: 10_000, expandedSelections: 1_000_000, cost: 10 ** 12 }
  const identify = {
    read: async (request: { header(name: string): string | null }) => {
      const role = request.header('authorization')?.slice(7)
      const identity = own.identify(role ? { subject: role.toLowerCase(), roles: [role as 'READER'] } : null)
      return { credential: role ? ('bearer' as const) : null, identity }
    },
  }
  const open = (ownership: 'reject' | 'partial', executor?: ReturnType<typeof jitExecutor>) =>
    openEndpoint({
      sdl,
      resolvers: resolvers as never,
      rules: rules as never,
      compile: { policy: own as never, ownership, limits },
      identify: identify as never,
      ...(executor && { executor }),
    })

  test.each(['reject', 'partial'] as const)(
    'are answered the same, ownership %s',
    async (ownership) => {
      const [plain, compiled] = [await open(ownership), await open(ownership, jitExecutor(counted, soon))]
      const before = { ...made }
      const statuses = new Map<number, number>()
      const choices = fc.array(fc.nat(1_000_000), { minLength: 100, maxLength: 100 })
      const variables = fc.record(
        { v0: fc.boolean(), v1: fc.boolean(), v2: fc.boolean(), v3: fc.boolean() },
        { requiredKeys: ['v0', 'v2'] },
      )
      const role = fc.constantFrom('', 'READER', 'AUTHOR', 'ADMIN', 'ADMIN')
      await fc.assert(
        fc.asyncProperty(choices, variables, role, async (drawn, values, who) => {
          let next = 0
          const query = drawDocument((below) => ((drawn[next++ % drawn.length] ?? 0) + next) % below)
          const headers = who ? bearer(who) : {}
          const asked = { query, variables: values }
          const expected = await plain.post(asked, headers)
          statuses.set(expected.status, (statuses.get(expected.status) ?? 0) + 1)
          for (let time = 0; time < 3; time++) {
            const given = seenBy(await compiled.post(asked, headers))
            expect({ query, values, who, ...given }).toEqual({ query, values, who, ...seenBy(expected) })
          }
        }),
        { endOnFailure: true, numRuns: Number(process.env.LATCHKEY_PROPERTY_RUNS ?? 30) },
      )
      expect(made.operations - before.operations).toBeGreaterThanOrEqual(sinceCompiled(5))
      expect(statuses.size).toBeGreaterThan(1)
      await Promise.all([plain.close(), compiled.close()])
    },
    600_000,
  )
})

describe('an operation', () => {
  const date = new GraphQLScalarType<Date, string>({
    name: 'Day',
    parseValue: (value) => new Date(String(value)),
    parseLiteral: (node) => new Date('value' in node ? String(node.value) : ''),
    serialize: (value) => (value as Date).toISOString(),
  })
  const parts: EndpointParts = {
    sdl: `
      scalar Day
      enum Order { UP DOWN }
      input Filter { order: Order = DOWN, day: Day = "2020-01-02", ids: [ID!] = [1, 2], deep: Filter }
      type Query {
        echo(filter: Filter = { order: UP }, ids: [ID!], day: Day = "2021-01-01", text: String! = "text"): String
        hard: Hard, list: [Hard], strict: [Hard!], text: String!, hang: String, now: Day, n: [Node]
        b: Two, b_a: String, deep: Query, soon: Node, thrown: Node, iterated: [Int], streamed: [Int], broken: [Int], thenable: Int, seen: String, order: Order, orders: [Order!]
      }
      type Two { a(x: Int): String, b: Two }
      type Hard { no: String!, other: String!, soft: String }
      interface Node { id: ID, next: [Node] }
      type A implements Node { id: ID, next: [Node] }
      type B implements Node { id: ID, next: [Node] }
      type C implements Node { id: ID, next: [Node] }
    `,
    resolvers: {
      'Query.echo': (_source, args) => JSON.stringify(args),
      'Query.hard': () => ({ no: null, other: 'o', soft: 's' }),
      'Query.list': () => [
        { no: 'n', other: 'o' },
        { no: null, other: 'o' },
        null,
        Promise.resolve({ no: 'n', other: null }),
      ],
      'Query.strict': () => [{ no: 'n', other: 'o' }, null],
      'Query.now': () => new Date(0),
      'Query.order': () => 'SIDEWAYS',
      'Query.orders': () => ['UP', 'DOWN'],
      'Query.hang': () => new Promise(() => {}),
      'Query.b': () => ({ b: {} }),
      'Query.b_a': (_source, _args, _context, info) => info.fieldNodes[0]?.name.value,
      'Two.a': (_source, args, _context, { fieldNodes }) => JSON.stringify([args, fieldNodes[0]?.arguments?.length]),
      'Query.n': () => ['A', 'B', 'C', 'D', undefined].map((__typename) => ({ __typename, id: __typename })),
      'Query.soon': async () => ({ __typename: Promise.resolve('A'), id: 'soon' }),
      'Query.thrown': async () => ({
        get __typename(): string {
          throw new Error('secret type')
        },
      }),
      'Query.iterated': () => new Set([1, 2]),
      'Query.streamed': async function* () {
        yield 1
        yield 2
      },
      'Query.broken': async () =>
        (function* () {
          yield 1
          throw new Error('secret end')
        })(),
      // biome-ignore lint/suspicious/noThenProperty: what some libraries give for a promise.
      'Query.thenable': () => ({ then: (give: (value: number) => void) => give(7) }),
      'Query.deep': () => ({ text: () => 'method', order: Promise.resolve('UP') }),
      'Query.seen': (_source, _args, { signal }, info) =>
        JSON.stringify([
          info.fieldName,
          info.operation.variableDefinitions?.length,
          Object.keys(info.fragments),
          info.variableValues,
          info.schema.getType('Two') === info.parentType.getFields().b?.type,
          info.getAbortSignal()?.aborted,
          signal.aborted,
        ]),
    },
  }
  const withScalar = (options: Partial<EndpointParts>) =>
    openEndpoint({
      ...parts,
      compile: { limits: { cost: 10 ** 12 } },
      ...options,
      prepareSchema(schema) {
        Object.assign(schema.getType('Day') as object, {
          parseValue: date.parseValue,
          parseLiteral: date.parseLiteral,
          serialize: date.serialize,
          coerceInputValue: date.coerceInputValue,
          coerceInputLiteral: date.coerceInputLiteral,
          coerceOutputValue: date.coerceOutputValue,
        })
      },
    })
  let plain: Endpoint
  let compiled: Endpoint
  beforeAll(async () => {
    plain = await withScalar({ executionTimeoutMs: 251 })
    compiled = await withScalar({ executionTimeoutMs: 251, executor: jitExecutor(counted, soon) })
  })
  afterAll(() => Promise.all([plain.close(), compiled.close()]))

  test.each<[string, Record<string, unknown>?]>([
    ['{ echo }'],
    ['{ echo(filter: { ids: 7 }, day: "2022-02-02") }'],
    ['query ($f: Filter, $i: [ID!], $d: Day) { echo(filter: $f, ids: $i, day: $d) }', { f: { deep: {} }, i: 'x' }],
    ['query ($f: Filter, $d: Day = "2019-01-01") { echo(filter: $f, day: $d) }', { f: null }],
    ['query ($o: Order, $i: ID!) { echo(filter: { order: $o, ids: [$i, 3] }) }', { o: 'UP', i: 5 }],
    ['query ($o: Order, $i: ID!) { echo(filter: { order: $o, ids: [$i, 3] }) }', { i: 5 }],
    ['query ($t: String) { echo(text: $t) }', { t: null }],
    ['query ($t: String) { echo(text: $t) }'],
    ['query ($t: String = "v") { echo(text: $t) }'],
    ['{ hard { no soft } text: __typename }'],
    ['{ hard { soft } list { other } }'],
    ['{ list { no } }'],
    ['{ strict { no other } b { a(x: 1) } }'],
    ['{ text }'],
    ['{ now order }'],
    ['{ orders }'],
    ['{ b { a(x: 1) } b_a }'],
    ['{ b { b { a } } b_b_a: b_a a_b: b { b_a: a(x: 2) } }'],
    ['{ n { __typename id ... on A { own: id } } }'],
    ['{ deep { text order } }'],
    ['{ soon { id } iterated }'],
    ['{ b { a } thrown { id } }'],
    ['{ iterated streamed thenable }'],
    ['{ broken }'],
    ['{ hang }'],
    ['query Q($v: Boolean! = true) { seen @include(if: $v) ...F @skip(if: $v) } fragment F on Query { b_a }', {}],
    [
      'query Q($v: Boolean! = true) { seen @include(if: $v) ...F @skip(if: $v) } fragment F on Query { b_a }',
      { v: false },
    ],
    ['query ($v: Boolean = true) { b_a @include(if: $v) }', { v: null }],
    ['{ ... @skip(if: true) { b_a } b { ... @include(if: false) { a } } }'],
  ])('is answered as graphql answers it: %s %j', async (query, variables = {}) => {
    const expected = seenBy(await plain.post({ query, variables }))
    for (let time = 0; time < 3; time++) {
      expect({ time, ...seenBy(await compiled.post({ query, variables })) }).toEqual({ time, ...expected })
    }
  })

  test.each(since17('is compiled'))(
    '%s when it comes again, once for each way in which its conditions are met',
    async () => {
      const query = 'query ($v: Boolean!, $w: Boolean!) { b_a @include(if: $v) orders @skip(if: $w) }'
      const before = { ...made }
      await compiled.post({ query, variables: { v: true, w: true } })
      expect(made).toEqual(before)
      for (let round = 0; round < 2; round++) {
        for (const v of [true, false])
          for (const w of [true, false]) await compiled.post({ query, variables: { v, w } })
      }
      // The first outcome was known before the rounds, each of the others is executed by graphql once.
      expect(made).toEqual({ operations: before.operations + 4, runs: before.runs + 5 })
    },
  )

  test.each([
    [
      'too many conditions',
      `query (${[0, 1, 2, 3, 4].map((n) => `$c${n}: Boolean! = true`)}) { ${[0, 1, 2, 3, 4].map((n) => `...@include(if: $c${n}) { b_a }`)} }`,
    ],
    ['programs that double with each level', `{ n ${'{ next '.repeat(8)} { id } ${'}'.repeat(8)} }`],
    ['names that graphql-jit cannot tell apart', '{ b { a(x: 1) } a_b: b_a }'],
  ])('with %s is executed by graphql', async (_what, query) => {
    const before = { ...made }
    for (let time = 0; time < 3; time++) expect((await compiled.post({ query })).status).toBe(200)
    expect(made).toEqual(before)
  })

  test('is read from plain objects where they are promised', async () => {
    const fast = await withScalar({ executor: jitExecutor(graphqlJit, { ...soon, plainObjects: true }) })
    for (let time = 0; time < 3; time++) {
      expect((await fast.post({ query: '{ hard { soft } b { b { a(x: 1) } } }' })).body).toEqual({
        data: { hard: { soft: 's' }, b: { b: { a: '[{"x":1},1]' } } },
      })
    }
    await fast.close()
  })

  test('may have the name of the prototype for an alias, also where objects are plain', async () => {
    const fast = await withScalar({ executor: jitExecutor(graphqlJit, { ...soon, plainObjects: true }) })
    for (let time = 0; time < 3; time++) {
      const { body } = await fast.post({ query: '{ hard { __proto__: soft } }' })
      expect(JSON.stringify(body)).toBe('{"data":{"hard":{"__proto__":"s"}}}')
    }
    await fast.close()
  })
})

describe('the seal', () => {
  const schema = buildSchema('type Query { mine: String, yours: String }')
  const { mine, yours } = schema.getQueryType()!.getFields()
  mine!.resolve = () => 'mine'
  yours!.resolve = () => 'yours'
  const access = compileAccess({ schema, policy, rules: { 'Query.mine': 'public', 'Query.yours': 'authenticated' } })
  const query = 'query ($yours: Boolean!) { mine yours @include(if: $yours) }'
  const prepare = async (yours: boolean) => {
    const identity = yours ? policy.identify({ subject: 'a', roles: ['READER'] }) : null
    const verdict = await access.prepare({ query, variables: { yours } }, { identity })
    if (!verdict.ok) throw new Error('refused')
    return verdict.args
  }

  test.each(since17('holds'))('%s for compiled operations: each runs with its own context only', async () => {
    const executor = jitExecutor(counted, soon)
    for (let time = 0; time < 2; time++) {
      for (const yours of [true, false]) await executor(await prepare(yours))
    }
    const runs = made.runs
    expect(await executor(await prepare(true))).toEqual({ data: { mine: 'mine', yours: 'yours' } })
    expect(await executor(await prepare(false))).toEqual({ data: { mine: 'mine' } })
    expect(made.runs).toBe(runs + 2)
    const elsewhere = {
      query: 'query ($yours: Boolean!) { again: mine @include(if: $yours) }',
      variables: { yours: true },
    }
    const [one, other] = [await prepare(false), await access.prepare(elsewhere, { identity: null })]
    if (!other.ok) throw new Error('refused')
    // Of its conditions a context knows, of another operation's program nothing.
    const borrowed = await executor({ ...one, contextValue: other.args.contextValue })
    expect(borrowed).toMatchObject({
      data: { mine: null, yours: null },
      errors: [{ path: ['mine'] }, { path: ['yours'] }],
    })
    // The conditions are those of the context, whatever the variables say.
    expect(await executor({ ...one, variableValues: { yours: true } })).toEqual({ data: { mine: 'mine' } })
  })

  test('runs nothing with a context that prepare did not make', async () => {
    const executor = jitExecutor(counted, soon)
    for (let time = 0; time < 2; time++) await executor(await prepare(false))
    const one = await prepare(false)
    for (const contextValue of [
      {},
      { ...one.contextValue },
      Object.create(one.contextValue),
      new Proxy(one.contextValue, {}),
    ]) {
      const { data, errors } = await executor({ ...one, contextValue } as PreparedArgs)
      expect([data, errors?.length]).toEqual([{ mine: null }, 1])
    }
  })
})

describe('jitExecutor', () => {
  const schema = buildSchema('type Query { a: String, b: String }')
  const access = compileAccess({ schema, policy, rules: { 'Query.a': 'public', 'Query.b': 'public' } })
  const prepare = async (query: string, variables = {}) => {
    const verdict = await access.prepare({ query, variables }, { identity: null })
    if (!verdict.ok) throw new Error('refused')
    return verdict.args
  }

  test('compiles nothing that came less than twenty times, so that strangers gain nothing by it', async () => {
    const executor = jitExecutor(counted)
    const before = { ...made }
    for (let time = 0; time < 20; time++) {
      expect(await executor(await prepare('{ a b }'))).toEqual({ data: { a: null, b: null } })
    }
    expect(made).toEqual(before)
    for (let time = 0; time < 2; time++) await executor(await prepare('{ a b }'))
    expect(made).toEqual({
      operations: before.operations + sinceCompiled(1),
      runs: before.runs + sinceCompiled(2),
    })
  })

  test('counts each way in which conditions are met, for itself', async () => {
    const executor = jitExecutor(counted, { usesBeforeCompiling: 3 })
    const before = { ...made }
    const query = 'query ($v: Boolean!) { a @include(if: $v) b }'
    for (let time = 0; time < 3; time++) {
      for (const v of [true, false]) await executor(await prepare(query, { v }))
    }
    expect(made).toEqual(before)
    await executor(await prepare(query, { v: true }))
    expect(made.operations - before.operations).toBe(sinceCompiled(1))
  })

  test.each([0, -1, 1.5, Number.NaN, '2', null])('refuses %s for "usesBeforeCompiling"', (usesBeforeCompiling) => {
    expect(() => jitExecutor(counted, { usesBeforeCompiling } as never)).toThrow(
      new TypeError('"usesBeforeCompiling" must be a whole number from 1'),
    )
  })

  test('leaves everything to graphql before its version 17', () => {
    expect(since17('compiles').length > 0 || made.operations === 0).toBe(true)
  })

  test.each([undefined, null, {}, { compileQuery: true }, () => ({})])(
    'refuses %s, which is no graphql-jit',
    (given) => {
      expect(() => jitExecutor(given as unknown as GraphqlJit)).toThrow('"graphqlJit" must be the module graphql-jit')
    },
  )
})
