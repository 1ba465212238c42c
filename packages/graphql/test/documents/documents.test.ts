import { compileAccess } from '@latchkey/graphql'
import { medianCpuMilliseconds } from '@latchkey/test-services'
import { describe, expect, test } from 'vitest'
import { ask, author, policy, reader, schemaOf } from '../support/access-fixture.ts'

const access = compileAccess({
  policy,
  introspection: 'public',
  schema: schemaOf(
    `input Nest { id: ID!, nest: Nest, list: [[Int!]] }
     type T { t: T @public, u: T @public, secret: String @authenticated, text(a: [[Int]]): String @public }
     type Query { t: T @public, secret: String @authenticated, echo(nest: Nest, password: Int): String @public }
     type Mutation { change(nest: Nest): String @authenticated }`,
    { Query: { echo: () => 'echo' } },
  ),
})
const doubling = (levels: number, last: string) =>
  `{ t { ...F0 } } ${Array.from({ length: levels }, (_none, level) => `fragment F${level} on T { a: t { ...F${level + 1} } b: t { ...F${level + 1} } ...F${level + 1} }`).join(' ')} fragment F${levels} on T { ${last} }`

describe('a document that is wrong', () => {
  test.each([
    ['no syntax', '{', 'GRAPHQL_PARSE_FAILED'],
    ['nothing', '', 'GRAPHQL_PARSE_FAILED'],
    ['unknown fields', '{ nope }', 'GRAPHQL_VALIDATION_FAILED'],
    ['a fragment that spreads itself', '{ t { ...F } } fragment F on T { ...F }', 'GRAPHQL_VALIDATION_FAILED'],
    ['a definition of types', 'type A { a: Int } query { t { t } }', 'GRAPHQL_VALIDATION_FAILED'],
    ['brackets nested deep', `{ ${'t { '.repeat(5000)}${'} '.repeat(5000)} }`, 'QUERY_LIMIT_EXCEEDED'],
    ['brackets that never close', '['.repeat(100_000), 'QUERY_LIMIT_EXCEEDED'],
    ['lists nested deep', `{ t { text(a: ${'['.repeat(5000)}${']'.repeat(5000)}) } }`, 'QUERY_LIMIT_EXCEEDED'],
    ['objects nested deep', `{ echo(nest: ${'{nest:'.repeat(5000)}${'}'.repeat(5000)}) }`, 'QUERY_LIMIT_EXCEEDED'],
    ['types nested deep', `query($a: ${'['.repeat(5000)}Int${']'.repeat(5000)}) { t { t } }`, 'QUERY_LIMIT_EXCEEDED'],
    ['too many tokens', `{ ${'t '.repeat(3000)} }`, 'QUERY_LIMIT_EXCEEDED'],
    ['too many comments', `{ t } ${'#\n'.repeat(50_000)}`, 'QUERY_LIMIT_EXCEEDED'],
    [
      'brackets in texts and comments that hide nothing',
      `{ # """\n ${'t { '.repeat(500)} "}" """}\\"""}""" }`,
      'QUERY_LIMIT_EXCEEDED',
    ],
    ['an operation that is not named', 'query A { echo } query B { echo }', 'OPERATION_RESOLUTION_FAILURE'],
    ['no operation at all', 'fragment F on T { t { t } }', 'GRAPHQL_VALIDATION_FAILED'],
  ])('%s is refused within 100 ms of computing', async (_what, query, code) => {
    let run = 0
    const spent = await medianCpuMilliseconds(async () => {
      // The same text would come from the cache.
      expect((await ask(access, `${query}\n#${run++}`)).verdict).toBe(code)
    })
    expect(spent).toBeLessThan(100)
  })

  test('is answered with five errors at most', async () => {
    const query = `{ ${Array.from({ length: 20 }, (_none, index) => `nope${index}`).join(' ')} }`
    expect((await ask(access, query)).codes).toEqual(Array.from({ length: 5 }, () => 'GRAPHQL_VALIDATION_FAILED'))
  })

  test('is answered the same when it comes again', async () => {
    for (let round = 0; round < 3; round++) {
      expect((await ask(access, '{ nope }')).verdict).toBe('GRAPHQL_VALIDATION_FAILED')
      expect((await ask(access, '{ secret }')).verdict).toBe('UNAUTHENTICATED')
      expect((await ask(access, '{ secret }', reader)).verdict).toBe('executed')
    }
  })
})

test('brackets in texts and comments are no nesting', async () => {
  const query = `{ t { t { __typename } } } # ${'{'.repeat(1000)}`
  expect((await ask(access, query)).verdict).toBe('executed')
  const text = `query Q($p: ID = "${'['.repeat(1000)}\\"[", $q: ID = """${'{'.repeat(1000)} \\""" [""") { echo(nest: { id: $p }) e: echo(nest: { id: $q }) }`
  expect((await ask(access, text)).verdict).toBe('executed')
})

describe('30 levels of doubling fragments', () => {
  test.each([
    ['through fields', doubling(30, 'secret')],
    ['side by side', doubling(30, 'secret').replaceAll(/a: t \{ (\.\.\.F\d+) \} b: t \{ \.\.\.F\d+ \}/g, '$1')],
    ['under conditions', doubling(30, 'secret @include(if: $yes)').replace('{', 'query($yes: Boolean!) {')],
  ])('%s are refused within 100 ms of computing', async (_what, document) => {
    for (const identity of [null, reader]) {
      let run = 0
      const spent = await medianCpuMilliseconds(async () => {
        const query = `${document}#${identity?.subject} ${run++}`
        const verdict = await access.prepare({ query, variables: { yes: true } }, { identity })
        expect(verdict.ok || verdict.errors[0]?.extensions.code).toBe('QUERY_LIMIT_EXCEEDED')
      })
      expect(spent).toBeLessThan(100)
    }
  })

  test('cached before are decided within 100 ms of CPU time at raised limits', async () => {
    const roomy = compileAccess({
      policy,
      schema: access.schema,
      limits: { depth: 20, aliases: 1_000_000, directives: 1_000_000, expandedSelections: 100_000, cost: 100_000 },
    })
    const query = doubling(7, 'secret @include(if: $yes)').replace('{', 'query($yes: Boolean!) {')
    await roomy.prepare({ query, variables: { yes: true } }, { identity: null })
    const spent = await medianCpuMilliseconds(async () => {
      const open = await roomy.prepare({ query, variables: { yes: false } }, { identity: null })
      const closed = await roomy.prepare({ query, variables: { yes: true } }, { identity: null })
      expect([open.ok, closed.ok]).toEqual([true, false])
    })
    expect(spent).toBeLessThan(100)
  })
})

describe('variables', () => {
  test('whose type is wrong are refused without repeating their values', async () => {
    const query = 'query($password: Int, $nest: Nest) { echo(password: $password, nest: $nest) }'
    const { prepared, verdict } = await ask(access, query, null, {
      variables: { password: 'hunter2', nest: { id: 1, hunter2: 1 } },
    })
    expect(verdict).toBe('BAD_USER_INPUT')
    expect(JSON.stringify(prepared.ok ? '' : prepared.errors)).not.toContain('hunter2')
    expect(prepared.ok || prepared.errors.map(({ message }) => message)).toEqual([
      'The value of "$password" does not match the type "Int" of "$password".',
      'The value of "$nest" does not match the type "Nest" of "$nest".',
    ])
  })

  test('name the field that does not fit', async () => {
    const query = 'query($nest: Nest) { echo(nest: $nest) }'
    const { prepared } = await ask(access, query, null, {
      variables: { nest: { id: 1, nest: { id: 2, list: [['x']] } } },
    })
    expect(prepared.ok || prepared.errors[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT' })
    expect(prepared.ok || String(prepared.errors[0]?.extensions.field)).toMatch(/^nest(\.nest\.list\.0\.0)?$/)
  })

  test('are answered with ten errors at most', async () => {
    const names = Array.from({ length: 15 }, (_none, index) => `v${index}`)
    const query = `query(${names.map((name) => `$${name}: Int!`)}) { ${names.map((name) => `${name}: echo(password: $${name})`).join(' ')} }`
    expect((await ask(access, query)).codes).toEqual(Array.from({ length: 10 }, () => 'BAD_USER_INPUT'))
  })

  test('nested too deeply are refused if used, and ignored if unused', async () => {
    let nest: Record<string, unknown> = { id: 1 }
    for (let depth = 0; depth < 20_000; depth++) nest = { id: 1, nest }
    const query = 'query($nest: Nest) { echo(nest: $nest) }'
    expect((await ask(access, query, null, { variables: { nest } })).verdict).toBe('BAD_USER_INPUT')
    const shallow = (depth: number): Record<string, unknown> =>
      depth === 0 ? { id: 1 } : { id: 1, nest: shallow(depth - 1) }
    expect((await ask(access, query, null, { variables: { nest: shallow(500) } })).verdict).toBe('BAD_USER_INPUT')
    expect((await ask(access, query, null, { variables: { nest: shallow(50) } })).verdict).toBe('executed')
    expect((await ask(access, '{ echo }', null, { variables: { nest } })).verdict).toBe('executed')
  })

  test('called like the prototype are variables like others', async () => {
    const query =
      'query($__proto__: Int, $constructor: Int = 1) { echo(password: $__proto__) e: echo(password: $constructor) }'
    const variables = JSON.parse('{ "__proto__": 5, "constructor": 6 }')
    expect((await ask(access, query, null, { variables })).codes).toEqual([])
  })
})

const yes = (): boolean => true
const no = (): boolean => false

describe('an operation', () => {
  test.each([
    ['a mutation over GET', 'mutation { change }', { method: 'GET' }, author, 'METHOD_NOT_ALLOWED'],
    ['a mutation over GET, for any identity', 'mutation { change }', { method: 'GET' }, null, 'METHOD_NOT_ALLOWED'],
    ['a query over GET', '{ t { t { __typename } } }', { method: 'GET' }, null, 'executed'],
    [
      'a mutation over a cookie without a token',
      'mutation { change }',
      { credential: 'cookie', csrf: no },
      author,
      'CSRF_REJECTED',
    ],
    [
      'a mutation over a cookie with a token',
      'mutation { change }',
      { credential: 'cookie', csrf: yes },
      author,
      'executed',
    ],
    [
      'a mutation over a cookie where another check is made',
      'mutation { change }',
      { credential: 'cookie' },
      author,
      'executed',
    ],
    ['a mutation over a bearer', 'mutation { change }', { credential: 'bearer', csrf: no }, author, 'executed'],
    [
      'a mutation over a dead cookie',
      'mutation { change }',
      { credential: 'cookie', csrf: no },
      null,
      'UNAUTHENTICATED',
    ],
    ['a query over a cookie without a token', '{ secret }', { credential: 'cookie', csrf: no }, author, 'executed'],
    ['forged, without a credential field', '{ secret }', { forged: true }, author, 'executed'],
  ] as const)('%s is %s', async (_what, query, input, identity, expected) => {
    expect((await ask(access, query, identity, { input })).verdict).toBe(expected)
  })

  test('is chosen by its name; an empty name counts as absent', async () => {
    const query = 'query A { t { t { __typename } } } query B { secret }'
    const verdict = async (operationName: string | null, text = query) =>
      (await ask(access, text, null, { operationName })).verdict
    expect(await verdict('A')).toBe('executed')
    expect(await verdict('B')).toBe('UNAUTHENTICATED')
    expect(await verdict('C')).toBe('OPERATION_RESOLUTION_FAILURE')
    expect(await verdict('')).toBe('OPERATION_RESOLUTION_FAILURE')
    expect(await verdict('', '{ echo }')).toBe('executed')
    expect(await verdict('__proto__')).toBe('OPERATION_RESOLUTION_FAILURE')
  })
})

describe('a document that was read', () => {
  const documentOf = async (query: string) => {
    const verdict = await access.prepare({ query }, { identity: null })
    return verdict.ok ? verdict.args.document : null
  }

  test('is kept while 300 invalid documents follow', async () => {
    const first = await documentOf('{ first: echo }')
    for (let index = 0; index < 300; index++) expect(await documentOf(`{ nope${index} }`)).toBeNull()
    expect(await documentOf('{ first: echo }')).toBe(first)
  })

  test('is forgotten when a thousand others were used since', async () => {
    const first = await documentOf('{ first: echo }')
    const second = await documentOf('{ second: echo }')
    for (let index = 0; index < 999; index++) {
      await documentOf(`{ a${index}: echo }`)
      if (index === 500) await documentOf('{ second: echo }')
    }
    expect(await documentOf('{ first: echo }')).not.toBe(first)
    expect(await documentOf('{ second: echo }')).toBe(second)
  })
})
