import { type AccessOptions, compileAccess, createSubscriptions, reportAccess } from '@latchkey/graphql'
import { createStreamHandler } from '@latchkey/graphql/sse'
import { createIdentityReader } from '@latchkey/http'
import { buildSchema, GraphQLError } from 'graphql'
import { describe, expect, test } from 'vitest'
import { openEndpoint } from '../support/endpoint.ts'
import { json, policy } from '../support/service.ts'

type Errors = NonNullable<AccessOptions<typeof policy>['errors']>

const declared: Errors = {
  OUT_OF_STOCK: { status: 200, expose: ['left', 'sizes'] },
  ORDER_CONFLICT: { status: 409, expose: ['version'] },
  SHOP_CLOSED: {},
  BAD_USER_INPUT: { expose: ['constraint'] },
}

const sdl = `
  type Query { stock: Int!, maybe: Int, hello: String! }
  type Mutation { buy: Int!, cart: Cart }
  type Cart { id: ID!, total: Int }`

interface Asked {
  readonly query?: string
  readonly errors?: Errors
  readonly headers?: Record<string, string>
  readonly statusProfile?: 'draft-2026'
}

/** Sends a query to a service in which every field except `hello` and `cart` throws. */
async function askThrowing(thrown: () => unknown, { query = '{ stock }', headers = {}, ...given }: Asked = {}) {
  const fail = () => {
    throw thrown()
  }
  const { errors = declared, statusProfile } = given
  const resolvers = {
    'Query.stock': fail,
    'Query.maybe': fail,
    'Query.hello': () => 'Hello',
    'Mutation.buy': fail,
    'Mutation.cart': () => ({ id: '1' }),
    'Cart.total': fail,
  }
  const endpoint = await openEndpoint({
    sdl,
    resolvers,
    compile: { errors },
    ...(statusProfile && { statusProfile }),
  })
  const answered = await endpoint.post({ query }, headers)
  await endpoint.close()
  return { ...answered, events: endpoint.events }
}

const outOfStock = (extensions: object = { left: 0 }) =>
  new GraphQLError('It is sold out.', { extensions: { code: 'OUT_OF_STOCK', ...extensions } })
const conflict = () => new GraphQLError('It has changed.', { extensions: { code: 'ORDER_CONFLICT', version: 3 } })

describe('an error with a declared code', () => {
  test('declared with status 200 on a non-null root field has its message and exposed details, and emits no event', async () => {
    const { status, body, events } = await askThrowing(outOfStock)
    expect(status).toBe(200)
    expect(body).toEqual({
      data: null,
      errors: [
        {
          message: 'It is sold out.',
          locations: [{ line: 1, column: 3 }],
          path: ['stock'],
          extensions: { code: 'OUT_OF_STOCK', left: 0 },
        },
      ],
    })
    expect(events).toEqual([])
  })

  test('declared without a status sets the field to null and keeps the other fields', async () => {
    const closed = () => new GraphQLError('Closed.', { extensions: { code: 'SHOP_CLOSED', left: 1 } })
    const { status, body } = await askThrowing(closed, { query: '{ maybe hello }' })
    expect([status, body.data]).toEqual([200, { maybe: null, hello: 'Hello' }])
    expect(body.errors[0].extensions).toEqual({ code: 'SHOP_CLOSED' })
  })

  test.each([{}, { accept: json }])(
    'refuses the whole response of a query if its status is 409: %o',
    async (headers) => {
      const { status, body, events } = await askThrowing(conflict, { query: '{ maybe hello }', headers })
      expect(status).toBe(409)
      expect(body).not.toHaveProperty('data')
      expect(body.errors[0].extensions).toEqual({ code: 'ORDER_CONFLICT', version: 3 })
      expect(events).toEqual([])
    },
  )

  test('keeps the data of a mutation that has had an effect if its status is 409', async () => {
    expect(await askThrowing(conflict, { query: 'mutation { buy }' })).toMatchObject({ status: 409 })
    const { status, body } = await askThrowing(conflict, { query: 'mutation { cart { id total } }' })
    expect([status, body.data]).toEqual([200, { cart: { id: '1', total: null } }])
    expect(body.errors[0].extensions).toEqual({ code: 'ORDER_CONFLICT', version: 3 })
  })

  test('by the draft profile has the statuses of BAD_USER_INPUT, or its own', async () => {
    const profile = { statusProfile: 'draft-2026' } as const
    expect(await askThrowing(outOfStock, profile)).toMatchObject({ status: 294 })
    expect(await askThrowing(conflict, profile)).toMatchObject({ status: 409 })
  })

  test('has a lower precedence than FORBIDDEN in the same response', async () => {
    const denied = new GraphQLError('no', { extensions: { code: 'FORBIDDEN' } })
    const errors = [conflict(), denied]
    const { status } = await askThrowing(() => errors.shift(), { query: '{ a: maybe b: maybe }' })
    expect(status).toBe(403)
  })
})

describe('a detail of an error', () => {
  const hidden = [
    'getter',
    'toJSON',
    'nested',
    'cyclic',
    'bigint',
    'infinite',
    'long',
    'many',
    'symbol',
    'date',
    'proxy',
  ]
  const cyclic: unknown[] = []
  cyclic.push(cyclic)
  const throwing = new Proxy([1], {
    getOwnPropertyDescriptor() {
      throw new Error('secret trap')
    },
  })
  const hostile = {
    get getter() {
      throw new Error('secret getter')
    },
    toJSON: () => ({ secret: true }),
    nested: { left: 1 },
    cyclic,
    bigint: 1n,
    infinite: Number.POSITIVE_INFINITY,
    long: 'x'.repeat(1001),
    many: Array.from({ length: 101 }, () => 1),
    symbol: Symbol('secret'),
    date: new Date(0),
    proxy: throwing,
  }
  const plain = { text: 'x'.repeat(1000), count: -1.5, isLeft: false, none: null, list: ['a', 1, true, null] }

  test('is sent if it is a scalar or a short list of scalars, and left out otherwise', async () => {
    const errors: Errors = { OUT_OF_STOCK: { expose: [...hidden, ...Object.keys(plain)] } }
    const extensions = Object.defineProperties(
      { code: 'OUT_OF_STOCK' },
      { ...Object.getOwnPropertyDescriptors(hostile), ...Object.getOwnPropertyDescriptors(plain) },
    )
    const thrown = () => new GraphQLError('Sold out.', { extensions })
    const { status, body } = await askThrowing(thrown, { errors })
    expect(status).toBe(200)
    expect(body.errors[0].extensions).toEqual({ code: 'OUT_OF_STOCK', ...plain })
  })

  test('is omitted together with the code if reading the extensions throws', async () => {
    const extensions = new Proxy<Record<string, unknown>>(
      {},
      {
        get() {
          throw new Error('secret trap')
        },
        getOwnPropertyDescriptor() {
          throw new Error('secret trap')
        },
      },
    )
    const thrown = () => Object.defineProperty(outOfStock(), 'extensions', { value: extensions })
    const { body, text } = await askThrowing(thrown, { query: 'mutation { cart { id total } }' })
    expect(body.data).toEqual({ cart: { id: '1', total: null } })
    expect(body.errors[0].extensions.code).toBe('INTERNAL_SERVER_ERROR')
    expect(text).not.toContain('secret')
  })

  test('is sent if it is exposed, and a built-in detail if it is plain', async () => {
    const refused = (extensions: object) => () =>
      new GraphQLError('Too long.', { extensions: { code: 'BAD_USER_INPUT', ...extensions } })
    const sent = async (extensions: object, errors = declared) =>
      (await askThrowing(refused(extensions), { errors })).body.errors[0].extensions
    expect(await sent({ field: 'title', constraint: 200, secret: 1 })).toEqual({
      code: 'BAD_USER_INPUT',
      field: 'title',
      constraint: 200,
    })
    expect(await sent({ field: 1n, constraint: 200 }, {})).toEqual({ code: 'BAD_USER_INPUT' })
  })
})

describe('an undeclared code', () => {
  test.each(['OUT_OF_STOC', 'out_of_stock', '__proto__', 'constructor', 'toString'])('(%s) is masked', async (code) => {
    const thrown = () => new GraphQLError('secret words', { extensions: { code, left: 0 } })
    const { status, text, body } = await askThrowing(thrown)
    expect(status).toBe(500)
    expect(text).not.toContain('secret')
    expect(body.errors[0].extensions).toEqual({ code: 'INTERNAL_SERVER_ERROR', id: expect.any(String) })
  })

  test('is masked on an error that is no GraphQLError, also if it is declared', async () => {
    const thrown = () => Object.assign(new Error('secret words'), { extensions: { code: 'OUT_OF_STOCK' } })
    expect(await askThrowing(thrown)).toMatchObject({ status: 500, codes: ['INTERNAL_SERVER_ERROR'] })
  })
})

describe('"errors"', () => {
  const compile = (errors: unknown) =>
    compileAccess({
      schema: buildSchema('type Query { hello: String }'),
      policy,
      rules: { 'Query.hello': 'public' },
      errors: errors as Errors,
    })

  test.each<[unknown, string]>([
    [[], '"errors" must be an object'],
    [{ 'OUT OF STOCK': {} }, '"errors.OUT OF STOCK"'],
    [JSON.parse('{ "__proto__": {} }'), '"errors.__proto__"'],
    [{ OUT_OF_STOCK: null }, '"errors.OUT_OF_STOCK"'],
    [{ OUT_OF_STOCK: { stauts: 200 } }, '"errors.OUT_OF_STOCK" has no option "stauts"'],
    [{ OUT_OF_STOCK: { status: 401 } }, '"errors.OUT_OF_STOCK.status" must be 200, 400, 402'],
    [{ OUT_OF_STOCK: { status: '409' } }, '"errors.OUT_OF_STOCK.status"'],
    [{ OUT_OF_STOCK: { expose: 'left' } }, '"errors.OUT_OF_STOCK.expose" must be a list of names'],
    [{ OUT_OF_STOCK: { expose: ['a b'] } }, '"errors.OUT_OF_STOCK.expose" must be a list of names'],
    [{ OUT_OF_STOCK: { expose: ['left', 'left'] } }, '"errors.OUT_OF_STOCK.expose" repeats "left"'],
    ...['code', 'id', 'reason', 'challenge', 'factors', 'maxAgeSeconds', 'retryAfterSeconds', 'policy', 'http'].map(
      (name): [unknown, string] => [
        { OUT_OF_STOCK: { expose: [name] } },
        `"errors.OUT_OF_STOCK.expose" must not have "${name}"`,
      ],
    ),
    [{ NOT_FOUND: { status: 404 } }, '"errors.NOT_FOUND.status" is built in'],
    [{ INVALID_CREDENTIALS: { expose: ['left'] } }, '"errors.INVALID_CREDENTIALS" exposes nothing'],
    [{ INTERNAL_SERVER_ERROR: { expose: ['left'] } }, '"errors.INTERNAL_SERVER_ERROR" exposes nothing'],
  ])('%o is refused at start', (errors, message) => {
    expect(() => compile(errors)).toThrow(TypeError)
    expect(() => compile(errors)).toThrow(message)
  })

  test('are listed in the report, sorted by code; without declared errors the report has no such table', () => {
    const { errors, text } = reportAccess(compile(declared))
    expect(errors).toEqual([
      { code: 'BAD_USER_INPUT', status: 'built in', expose: ['constraint'] },
      { code: 'ORDER_CONFLICT', status: 409, expose: ['version'] },
      { code: 'OUT_OF_STOCK', status: 200, expose: ['left', 'sizes'] },
      { code: 'SHOP_CLOSED', status: 200, expose: [] },
    ])
    expect(text.split('\n').slice(-6, -1)).toEqual([
      'Error code      Status    Exposed',
      'BAD_USER_INPUT  built in  constraint',
      'ORDER_CONFLICT  409       version',
      'OUT_OF_STOCK    200       left, sizes',
      'SHOP_CLOSED     200       none',
    ])
    expect(reportAccess(compile({})).text).not.toContain('Error code')
  })
})

test('an event of a subscription has the declared code', async () => {
  const schema = buildSchema('type Query { hello: String } type Subscription { stock: Int! }')
  const { stock } = schema.getSubscriptionType()?.getFields() ?? {}
  if (!stock) throw new Error('the schema has no subscription')
  stock.subscribe = async function* () {
    yield {}
  }
  stock.resolve = () => {
    throw outOfStock()
  }
  const access = compileAccess({
    schema,
    policy,
    rules: { 'Query.hello': 'public', 'Subscription.stock': 'public' } as never,
    errors: declared,
  })
  const identify = createIdentityReader({ bearer: { verify: async () => policy.identify(null) } })
  const subscriptions = createSubscriptions({ access, identify })
  const { fetch } = createStreamHandler({ subscriptions })
  const headers = { 'content-type': json, accept: 'text/event-stream' }
  const body = JSON.stringify({ query: 'subscription { stock }' })
  const response = await fetch(new Request('https://example.com/graphql/stream', { method: 'POST', headers, body }))
  expect(await response.text()).toContain('"extensions":{"code":"OUT_OF_STOCK","left":0}')
  subscriptions.close()
})
