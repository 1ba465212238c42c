import { createRequire } from 'node:module'
import { AccessError, compileAccess } from '@latchkey/graphql'
import { GraphQLError, type GraphQLScalarType } from 'graphql'
import { describe, expect, test } from 'vitest'
import { openEndpoint } from '../support/endpoint.ts'
import { policy } from '../support/service.ts'

/** A test runner may load `graphql` twice: as CommonJS for the tests, and as modules for the packages. */
const copy: typeof import('graphql') = createRequire(import.meta.url)('graphql-16')

class OutOfStock extends copy.GraphQLError {
  override name = 'OutOfStock'
}

const extensions = { code: 'NOT_FOUND' }

/** Returns the client's view of an error that a resolver throws. */
async function shownOf(thrown: unknown) {
  const fail = () => {
    throw thrown
  }
  const errors = { OUT_OF_STOCK: { expose: ['left'] } }
  const endpoint = await openEndpoint({
    sdl: 'type Query { fail: String }',
    resolvers: { 'Query.fail': fail },
    compile: { errors },
  })
  const { body, text } = await endpoint.post({ query: '{ fail }' })
  await endpoint.close()
  const [{ message, extensions: shown }] = body.errors
  return { message, text, shown }
}

/** Sends a query to a service with a scalar that this function parses. */
async function askScalar(query: string, read: () => unknown) {
  const endpoint = await openEndpoint({
    sdl: 'scalar Name type Query { hello(name: Name): String }',
    prepareSchema(schema) {
      const ways = { parseValue: read, parseLiteral: read, coerceInputValue: read, coerceInputLiteral: read }
      Object.assign(schema.getType('Name') as GraphQLScalarType, ways)
    },
  })
  const answered = await endpoint.post({ query, variables: { name: 'x' } })
  await endpoint.close()
  return answered
}

test('the other copy of graphql has its own GraphQLError', () => {
  expect(copy.GraphQLError).not.toBe(GraphQLError)
  expect(new copy.GraphQLError('')).not.toBeInstanceOf(GraphQLError)
})

describe('a GraphQLError of another copy of graphql', () => {
  test.each<[string, unknown, object]>([
    ['with a built-in code', new copy.GraphQLError('No such note.', { extensions }), extensions],
    [
      'of a class of its own with a declared code',
      new OutOfStock('No such note.', { extensions: { code: 'OUT_OF_STOCK', left: 2, secret: 1 } }),
      { code: 'OUT_OF_STOCK', left: 2 },
    ],
    [
      'around an AccessError',
      new copy.GraphQLError('secret', {
        originalError: new AccessError('NOT_FOUND', { message: 'No such note.' }),
      }),
      extensions,
    ],
    [
      'around another one',
      new copy.GraphQLError('secret', { originalError: new copy.GraphQLError('No such note.', { extensions }) }),
      extensions,
    ],
    [
      'within one of this copy',
      new GraphQLError('secret', { originalError: new copy.GraphQLError('No such note.', { extensions }) }),
      extensions,
    ],
  ])('%s is shown as one of this copy is', async (_what, thrown, expected) => {
    const { message, shown, text } = await shownOf(thrown)
    expect({ message, shown }).toEqual({ message: 'No such note.', shown: expected })
    expect(text).not.toContain('secret')
  })

  const tagged = (members: object): Error =>
    Object.assign(
      new Error('secret'),
      { nodes: undefined, originalError: undefined, ...members },
      {
        [Symbol.toStringTag]: 'GraphQLError',
      },
    )
  test.each<[string, unknown]>([
    ['without a code', new copy.GraphQLError('secret')],
    ['with an undeclared code', new copy.GraphQLError('secret', { extensions: { code: 'DOWNSTREAM' } })],
    ['as JSON', JSON.parse(JSON.stringify({ name: 'GraphQLError', message: 'secret', extensions }))],
    ['as an error with its members', Object.assign(new Error('secret'), { ...new copy.GraphQLError(''), extensions })],
    [
      'as an error with all of its members',
      Object.assign(new Error('secret'), {
        name: 'GraphQLError',
        nodes: undefined,
        originalError: undefined,
        extensions,
      }),
    ],
    ['as an error with its name', Object.assign(new Error('secret'), { name: 'GraphQLError', extensions })],
    ['with extensions that are no object', tagged({ extensions: 'NOT_FOUND' })],
    ['without extensions', tagged({ extensions: null })],
    [
      'without the members of one',
      Object.assign(new Error('secret'), { extensions, [Symbol.toStringTag]: 'GraphQLError' }),
    ],
  ])('%s is masked', async (_what, thrown) => {
    const { shown, text } = await shownOf(thrown)
    expect(shown).toEqual({ code: 'INTERNAL_SERVER_ERROR', id: expect.any(String) })
    expect(text).not.toContain('secret')
  })

  test('is taken apart for translateError, which gets the error within', async () => {
    const thrown = new copy.GraphQLError('secret', { originalError: new RangeError('secret') })
    const endpoint = await openEndpoint({
      sdl: 'type Query { fail: String }',
      resolvers: {
        'Query.fail': () => {
          throw thrown
        },
      },
      translateError: (error) => (error instanceof RangeError ? new AccessError('BAD_USER_INPUT') : null),
    })
    const { codes, text } = await endpoint.post({ query: '{ fail }' })
    expect([codes, text.includes('secret')]).toEqual([['BAD_USER_INPUT'], false])
    await endpoint.close()
  })

  test('without extensions, thrown by a scalar, refuses the value', async () => {
    const reject = () => {
      throw tagged({ extensions: null })
    }
    const { codes, text } = await askScalar('query ($name: Name) { hello(name: $name) }', reject)
    expect([codes, text.includes('secret')]).toEqual([['BAD_USER_INPUT'], false])
  })

  test.each(['{ hello(name: "x") }', 'query ($name: Name) { hello(name: $name) }'])(
    'keeps its message if a scalar throws it with BAD_USER_INPUT: %s',
    async (query) => {
      const reject = () => {
        throw new copy.GraphQLError('Write a name.', { extensions: { code: 'BAD_USER_INPUT' } })
      }
      const { body } = await askScalar(query, reject)
      expect(body.errors[0].message).toBe('Write a name.')
    },
  )
})

test('compileAccess says of a schema of another copy what to do, in one sentence', () => {
  const schema = copy.buildSchema('type Query { hello: String }')
  expect(() => compileAccess({ schema, policy, rules: { 'Query.hello': 'public' } })).toThrow(
    new TypeError(
      '"schema" was made by another copy of graphql than @latchkey/graphql imports: install one copy, and in Vitest name @latchkey and the package that makes the schema in server.deps.inline',
    ),
  )
})

test.each([undefined, {}, 'type Query { hello: String }'])('compileAccess refuses %o as a schema', (schema) => {
  expect(() => compileAccess({ schema: schema as never, policy })).toThrow('"schema" must be a GraphQLSchema')
})
