import { AccessError, compileAccess } from '@latchkey/graphql'
import { GraphQLError, type GraphQLScalarType, type ValueNode } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask, policy, schemaOf } from '../support/access-fixture.ts'
import { since17 } from '../support/graphql-version.ts'
import { type EveryTransport, openEveryTransport, type Sent } from '../support/transports.ts'

const isSince17 = since17(1).length > 0

/** The errors of the scalar, by value. */
const failures: Readonly<Record<string, () => unknown>> = {
  error: () => new Error('secret: SELECT * FROM accounts'),
  'type error': () => new TypeError('secret of undefined'),
  'error with a code': () => Object.assign(new Error('secret'), { extensions: { code: 'BAD_USER_INPUT' } }),
  text: () => 'secret text',
  nothing: () => null,
  object: () => ({ message: 'secret', toString: () => 'secret' }),
  'wrapped error': () => new GraphQLError('Wrapped: secret', { originalError: new Error('secret') }),
  internal: () => new AccessError('INTERNAL_SERVER_ERROR', { message: 'secret plan' }),
  'refusal with a cause': () => new AccessError('BAD_USER_INPUT', { cause: new Error('secret') }),
}
/** The messages of its author for clients. */
const meant: Readonly<Record<string, () => unknown>> = {
  AccessError: () => new AccessError('BAD_USER_INPUT', { message: 'Write a colour as #rrggbb.' }),
  'GraphQLError with the code': () =>
    new GraphQLError('Write a colour as #rrggbb.', { extensions: { code: 'BAD_USER_INPUT', stacktrace: ['secret'] } }),
  'the same with a cause': () =>
    new GraphQLError('Write a colour as #rrggbb.', {
      originalError: new Error('secret'),
      extensions: { code: 'BAD_USER_INPUT' },
    }),
}
const plain = { GraphQLError: () => new GraphQLError('Write a colour as #rrggbb.') }
const all = { ...failures, ...meant, ...plain }

function parseColour(value: unknown): unknown {
  const thrown = typeof value === 'string' && Object.hasOwn(all, value) ? all[value as keyof typeof all]?.() : undefined
  if (thrown !== undefined) throw thrown
  return value
}

/** A scalar with a look-up, which fails after a number of values. */
let lookUps = 0
function parseFickle(value: unknown): unknown {
  if (lookUps-- > 0) return value
  throw value === 'a' ? new Error('secret: the look-up failed') : new GraphQLError('secret: the look-up failed')
}

const schema = schemaOf(
  `scalar Colour
   scalar Fickle
   input Paint { name: String, colour: Colour, colours: [[Colour]], paint: Paint }
   type Query {
     paint(colour: Colour, colours: [Colour!], paint: Paint): String @public
     look(fickle: Fickle): String @public
     query: Query @public
   }
   type Mutation { paint(colour: Colour): String @public }
   type Subscription { paints(colour: Colour): String @public, looks(fickle: Fickle): String @public }`,
  { Query: { paint: () => 'painted', look: () => 'looked', query: () => ({}) }, Mutation: { paint: () => 'painted' } },
)
for (const [name, parse] of Object.entries({ Colour: parseColour, Fickle: parseFickle })) {
  const scalar = schema.getType(name) as GraphQLScalarType
  Object.assign(scalar, {
    parseValue: parse,
    coerceInputValue: parse,
    parseLiteral: (node: ValueNode) => parse('value' in node ? node.value : null),
  })
}
const feed = schema.getSubscriptionType()?.getFields() ?? {}
for (const field of Object.values(feed)) {
  field.subscribe = async function* none() {
    yield* []
  }
}
const open = compileAccess({ schema, policy, introspection: 'public' })
const hidden = compileAccess({ schema, policy })

/** The places of a value. */
const literals: readonly (readonly [where: string, query: (value: string) => string])[] = [
  ['an argument', (value) => `{ paint(colour: ${value}) }`],
  ['an argument deeper', (value) => `{ query { paint(colour: ${value}) } }`],
  ['an argument of a mutation', (value) => `mutation { paint(colour: ${value}) }`],
  ['an argument of a subscription', (value) => `subscription { paints(colour: ${value}) }`],
  ['a list', (value) => `{ paint(colours: [${value}]) }`],
  ['an input object', (value) => `{ paint(paint: { colour: ${value} }) }`],
  ['a list of a list in an object', (value) => `{ paint(paint: { paint: { colours: [[${value}]] } }) }`],
  ['the default of a variable', (value) => `query($colour: Colour = ${value}) { paint(colour: $colour) }`],
  ['a fragment', (value) => `{ ...F } fragment F on Query { paint(colour: ${value}) }`],
]
const variables: readonly (readonly [where: string, query: string, value: (value: string) => Sent['variables']])[] = [
  ['a variable', 'query($v: Colour) { paint(colour: $v) }', (v) => ({ v })],
  ['a variable of a subscription', 'subscription($v: Colour) { paints(colour: $v) }', (v) => ({ v })],
  ['a list in a variable', 'query($v: [Colour!]) { paint(colours: $v) }', (v) => ({ v: [v] })],
  ['an object in a variable', 'query($v: Paint) { paint(paint: $v) }', (v) => ({ v: { paint: { colour: v } } })],
]
/** Each way to send a value to the scalar. */
const waysOf = (value: string): readonly (readonly [where: string, sent: Sent])[] => [
  ...literals.map(([where, query]) => [where, { query: query(JSON.stringify(value)) }] as const),
  ...variables.map(([where, query, given]) => [where, { query, variables: given(value) ?? {} }] as const),
]

/** Returns the client's view of each way to send a value, with introspection public and refused. */
async function refusalsOf(value: string) {
  const asked = waysOf(value).flatMap(([where, sent]) => [open, hidden].map((access) => ({ where, sent, access })))
  return Promise.all(
    asked.map(async ({ where, sent: { query, variables }, access }) => {
      const { prepared } = await ask(access, query, null, variables ? { variables } : {})
      if (prepared.ok) throw new Error(`accepted: ${where}`)
      const { errors, response } = prepared
      const [{ message, locations, extensions }, ...others] = errors as [GraphQLError]
      expect([where, others]).toEqual([where, []])
      const text = JSON.stringify([where, errors, errors.map((error) => error.message), response])
      return { where, isLiteral: !variables, isOpen: access === open, message, locations, extensions, text }
    }),
  )
}

describe('an error of a scalar', () => {
  test.each(Object.keys(failures))('(%s) reaches no client from any place of the value', async (value) => {
    for (const { where, isLiteral, locations, extensions, text } of await refusalsOf(value)) {
      expect(text).not.toContain('secret')
      expect([where, extensions.code]).toEqual([where, isLiteral ? 'GRAPHQL_VALIDATION_FAILED' : 'BAD_USER_INPUT'])
      // GraphQL 16 itself fails for errors without a message.
      if (value === 'nothing' && !isSince17) continue
      expect([where, locations?.length]).toEqual([where, 1])
      expect(Object.keys(extensions).sort()).toEqual(isLiteral ? ['code'] : ['code', 'field'])
    }
  })

  test.each(['error', 'type error', 'text'])('(%s) is replaced by a message of this package', async (value) => {
    for (const { isLiteral, isOpen, message, where } of await refusalsOf(value)) {
      const literal = isOpen ? /^Expected value of type "Colour!?"\.$/ : /^The value is not valid here\.$/
      const variable = /^The value of "\$v[\w.]*" does not match the type "[\w![\]]+" of "\$v"\.$/
      expect(`${where}: ${message}`.slice(where.length + 2)).toMatch(isLiteral ? literal : variable)
    }
  })

  test.each(Object.keys(meant))('(%s) on purpose is the message of its author everywhere', async (value) => {
    for (const { where, isLiteral, message, extensions, text } of await refusalsOf(value)) {
      expect([where, message]).toEqual([where, 'Write a colour as #rrggbb.'])
      expect(extensions.code).toBe(isLiteral ? 'GRAPHQL_VALIDATION_FAILED' : 'BAD_USER_INPUT')
      expect(text).not.toContain('secret')
    }
  })

  test('as a GraphQLError without a code is shown on a literal where introspection is public, and nowhere else', async () => {
    for (const { where, isLiteral, isOpen, message, locations } of await refusalsOf('GraphQLError')) {
      expect([where, message === 'Write a colour as #rrggbb.']).toEqual([where, isOpen && isLiteral])
      expect([where, locations?.length]).toEqual([where, 1])
    }
  })
})

// What comes of all of them is the same before it is sent, as above.
const isLong = process.env.TEST_TIER === '3'
const tried = Object.keys(failures).filter((value) => isLong || ['error', 'nothing', 'wrapped error'].includes(value))

describe.each([
  ['public', open],
  ['refused', hidden],
] as const)('over every transport, with introspection %s,', (rule, access) => {
  let service: EveryTransport
  beforeAll(async () => {
    service = await openEveryTransport(access)
  })
  afterAll(() => service.close())

  test.each(tried)('an error of a scalar reaches no client over any transport: %s', async (value) => {
    service.events.length = 0
    for (const [where, sent] of waysOf(value)) {
      for (const { transport, text } of await service.ask(sent)) {
        expect(`${where} by ${transport}: ${text}`).toMatch(
          /"code":"(BAD_USER_INPUT|GRAPHQL_VALIDATION_FAILED|METHOD_NOT_ALLOWED)"/,
        )
        expect(`${where} by ${transport}: ${text}`).not.toContain('secret')
      }
    }
    expect(service.events).toEqual([])
  })

  const fickle: readonly Sent[] = ['a', 'b'].flatMap((v) => [
    { query: `{ look(fickle: "${v}") }` },
    { query: `query($v: Fickle = "${v}") { look(fickle: $v) }` },
    { query: 'query($v: Fickle) { look(fickle: $v) }', variables: { v } },
    { query: `subscription { looks(fickle: "${v}") }` },
    { query: 'subscription($v: Fickle) { looks(fickle: $v) }', variables: { v } },
  ])
  test.each(fickle)('nor what it throws when the operation is executed: $query $variables', async (sent) => {
    const ends = new Set<string>()
    for (let accepted = 0; accepted < 12; accepted++) {
      lookUps = accepted
      // The same text would come from the cache, without a look at its literals.
      const query = `${sent.query} # ${rule} ${accepted}`
      for (const { transport, text } of await service.ask({ ...sent, query })) {
        const isShown = rule === 'public' && /GRAPHQL_VALIDATION_FAILED/.test(text) && sent.query.includes('"b"')
        if (!isShown) expect(`${accepted} ${transport}: ${text}`).not.toContain('secret')
        ends.add(/"code":"(\w+)"/.exec(text)?.[1] ?? 'answered')
      }
    }
    expect(ends).toContain('answered')
    expect(ends.size).toBeGreaterThan(1)
  })
})

test('an argument that is invalid only at execution is BAD_USER_INPUT with a message of this package', async () => {
  const service = await openEveryTransport(
    compileAccess({
      policy,
      schema: schemaOf(
        'type Query { count(amount: Int! = 1, list: [Int!]): Int @public } type Subscription { s: Int @public }',
      ),
    }),
  )
  const sent = { query: 'query($v: Int = 1) { count(amount: $v) }', variables: { v: null } }
  for (const { transport, text } of await service.ask(sent)) {
    if (transport === 'SSE' || transport === 'WebSocket') continue
    const [{ message, extensions }] = [JSON.parse(text)].flat()[0].errors
    expect(message).toBe('The value of an argument does not match its type.')
    expect(extensions).toEqual({ code: 'BAD_USER_INPUT' })
  }
  await service.close()
})
