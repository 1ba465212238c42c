import { type AccessEvent, compileAccess, type DocumentLimits } from '@latchkey/graphql'
import { createAddressReader } from '@latchkey/http'
import { buildSchema } from 'graphql'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { policy } from '../support/access-fixture.ts'
import { type Endpoint, type EndpointParts, openEndpoint } from '../support/endpoint.ts'
import { bearer, json } from '../support/service.ts'

const sdl = `
  type Item { id: Int, text(secret: String): String, items(first: Int): [Item!] }
  type Query { item: Item, items(first: Int): [Item!] }
  type Mutation { note: Int }
`
async function open(limits: Partial<DocumentLimits> = {}, more: Partial<EndpointParts> = {}): Promise<Endpoint> {
  const endpoint = await openEndpoint({
    sdl,
    resolvers: {
      'Query.item': () => ({ id: 1 }),
      'Query.items': (_source: never, { first = 1 }: { first?: number }) =>
        Array.from({ length: first }, () => ({ id: 1 })),
      'Item.text': () => 'x'.repeat(200),
    },
    compile: { limits },
    ...more,
  })
  onTestFinished(() => endpoint.close())
  return endpoint
}
const aliases = (count: number) => Array.from({ length: count }, (_none, n) => `a${n}: id`).join(' ')
const limitsIn = (events: readonly AccessEvent[]) =>
  events.flatMap((event) => (event.type === 'limit.exceeded' ? [[event.limit, event.value, event.cost]] : []))

describe('a document over a limit', () => {
  test('emits one event with operation and cost but without variables, and clients get no details', async () => {
    const { post, events } = await open({ cost: 50 }, { addresses: createAddressReader() })
    const query = 'query Page($first: Int, $secret: String) { items(first: $first) { id text(secret: $secret) } }'
    const variables = { first: 30, secret: 'hunter2' }
    const refused = await post({ query, variables, operationName: 'Page' }, bearer('READER'))
    expect(refused).toMatchObject({ status: 400, codes: ['QUERY_LIMIT_EXCEEDED'] })
    expect(refused.text).not.toContain('cost')
    expect(events).toEqual([
      {
        type: 'limit.exceeded',
        at: expect.any(Number),
        accountId: 'reader',
        clientId: null,
        sessionKey: null,
        address: '127.0.0.1',
        device: null,
        requestId: null,
        durationMs: expect.any(Number),
        code: 'QUERY_LIMIT_EXCEEDED',
        limit: 'cost',
        value: 61,
        allowed: 50,
        operationName: 'Page',
        cost: 61,
        refused: true,
      },
    ])
    expect(JSON.stringify(events)).not.toContain('hunter2')
  })

  test.each<[string, Partial<DocumentLimits>, object, Partial<Extract<AccessEvent, { type: 'limit.exceeded' }>>]>([
    [
      'tokens',
      { tokens: 5 },
      { query: '{ item { id } }', operationName: 'Named' },
      { value: null, operationName: 'Named' },
    ],
    ['comments', { comments: 1 }, { query: '{ item { id } } #\n#\n#' }, { value: null }],
    ['operations', { operations: 1 }, { query: 'query A { item { id } } query B { item { id } }' }, { value: 2 }],
    ['depth', { depth: 1 }, { query: '{ item { id } }' }, { value: 2 }],
    ['depth', { depth: 1 }, { query: `{ item(a: ${'['.repeat(200)}` }, { value: null }],
    [
      'aliases',
      { aliases: 2 },
      { query: `query Many { item { ${aliases(3)} } }` },
      { value: 3, operationName: 'Many' },
    ],
    ['queryRootFields', { queryRootFields: 1 }, { query: '{ item { id } items { id } }' }, { value: 2 }],
    ['mutationRootFields', { mutationRootFields: 1 }, { query: 'mutation { note a: note }' }, { value: 2 }],
    ['directives', { directives: 1 }, { query: '{ item @skip(if: false) { id @skip(if: false) } }' }, { value: 2 }],
    [
      'directivesPerLocation',
      { directivesPerLocation: 1 },
      { query: '{ item @skip(if: false) @include(if: true) { id } }' },
      { value: 2 },
    ],
    ['expandedSelections', { expandedSelections: 2 }, { query: '{ item { id __typename } }' }, { value: 3 }],
    ['pageSize', { pageSize: 5 }, { query: '{ items(first: 6) { id } }' }, { value: 6, code: 'BAD_USER_INPUT' }],
  ])('names the limit "%s" of %j and what the document has', async (limit, limits, params, expected) => {
    const { post, events } = await open(limits)
    expect((await post(params)).status).toBe(400)
    const allowed = limits[limit as 'cost']
    expect(events).toMatchObject([{ type: 'limit.exceeded', limit, allowed, refused: true, cost: null, ...expected }])
  })

  test('is an event of each transport, and also from the cache of documents', async () => {
    const clock = { time: 0 }
    const { get, post, events } = await open({ aliases: 1 }, { now: () => clock.time })
    const query = `{ item { ${aliases(2)} } }`
    for (const ask of [() => post({ query }), () => get({ query }), () => post({ query })]) {
      await ask()
      clock.time += 3_600_000
    }
    expect(limitsIn(events)).toEqual([
      ['aliases', 2, null],
      ['aliases', 2, null],
      ['aliases', 2, null],
    ])
  })

  test('is not an event if it is refused for another reason', async () => {
    const { post, events } = await open()
    await post({ query: '{ item { nothing } }' })
    await post({ query: '{ items(first: -1) { id } }' })
    await post({ query: '{' })
    expect(events).toEqual([])
  })
})

describe('a request over a limit', () => {
  test('exceeding bytes or operations emits an event as well', async () => {
    const requestLimits = { bodyBytes: 500, urlBytes: 300, responseBytes: 100, batchSize: 2 }
    const { post, get, events } = await open({}, { requestLimits })
    await post({ query: `{ item { ${'id '.repeat(200)} } }` })
    await get({ query: `{ item { ${'id '.repeat(200)} } }` })
    await post({ query: 'query Long { item { text } }', operationName: 'Long' })
    await post(
      [1, 2, 3].map(() => ({ query: '{ item { id } }' })),
      { accept: json },
    )
    expect(events).toMatchObject([
      { limit: 'bodyBytes', code: 'PAYLOAD_TOO_LARGE', allowed: 500, value: null },
      { limit: 'urlBytes', code: 'URI_TOO_LONG', allowed: 300, value: null },
      { limit: 'responseBytes', code: 'RESPONSE_TOO_LARGE', allowed: 100, operationName: 'Long' },
      { limit: 'batchSize', code: 'QUERY_LIMIT_EXCEEDED', allowed: 2, value: 3 },
    ])
  })
})

describe('events of limits', () => {
  test('come once an hour for each operation and limit', async () => {
    const clock = { time: 0 }
    const { post, events } = await open({ aliases: 1, depth: 2 }, { now: () => clock.time })
    const ask = (name: string) => post({ query: `query ${name} { item { ${aliases(2)} } }` })
    for (const name of ['A', 'A', 'B', 'A']) await ask(name)
    await post({ query: 'query A { item { items { id } } }' })
    expect(limitsIn(events)).toEqual([
      ['aliases', 2, null],
      ['aliases', 2, null],
      ['depth', 3, null],
    ])
    clock.time += 3_599_999
    await ask('A')
    expect(events).toHaveLength(3)
    clock.time += 1
    await ask('A')
    expect(events).toHaveLength(4)
  })

  /** A handler behind a proxy, which names the address of each client. */
  async function openBehindProxy() {
    const addresses = createAddressReader({ trustedProxies: ['127.0.0.1'] })
    const { post, events } = await open({ aliases: 1 }, { addresses, now: () => 0 })
    const ask = (name: string, address: string, headers = {}) =>
      post({ query: `query ${name} { item { ${aliases(2)} } }` }, { 'x-forwarded-for': address, ...headers })
    const said = () =>
      events.flatMap((event) => (event.type === 'limit.exceeded' ? [[event.operationName, event.address]] : []))
    return { ask, said }
  }

  test('are at most ten an hour for an address with many operation names', async () => {
    const { ask, said } = await openBehindProxy()
    for (let index = 0; index < 20; index++) await ask(`Q${index}`, '192.0.2.1')
    expect(said()).toHaveLength(10)
    await ask('Q0', '192.0.2.2')
    expect(said().at(-1)).toEqual(['Q0', '192.0.2.2'])
  })

  test('reach the log for each client, although other addresses exceed limits under many names', async () => {
    const { ask, said } = await openBehindProxy()
    for (let index = 0; index < 100; index++) await ask(`Q${index}`, `192.0.2.${Math.floor(index / 10)}`)
    await ask('Checkout', '192.0.2.7', bearer('READER'))
    await ask('Checkout', '198.51.100.1')
    expect(said().slice(100)).toEqual([
      ['Checkout', '192.0.2.7'],
      ['Checkout', '198.51.100.1'],
    ])
  })

  test('report the first ten addresses of an operation and limit, then the 20th, the 40th and the 80th', async () => {
    const { ask, said } = await openBehindProxy()
    const addresses = Array.from({ length: 100 }, (_none, index) => `192.0.2.${index + 1}`)
    for (const address of addresses) await ask('Checkout', address)
    const told = [...addresses.slice(0, 10), '192.0.2.20', '192.0.2.40', '192.0.2.80']
    expect(said()).toEqual(told.map((address) => ['Checkout', address]))
    await ask('Home', '192.0.2.19')
    expect(said().at(-1)).toEqual(['Home', '192.0.2.19'])
  })

  test('reach the log for an account, although addresses without an account send the same operation', async () => {
    const { ask, said } = await openBehindProxy()
    for (let index = 0; index < 15; index++) await ask('Checkout', `192.0.2.${index}`)
    expect(said()).toHaveLength(10)
    await ask('Checkout', '198.51.100.1', bearer('READER'))
    expect(said().at(-1)).toEqual(['Checkout', '198.51.100.1'])
  })

  test('contain at most a valid GraphQL name as operationName', async () => {
    const { post, events } = await open({ tokens: 1 })
    const query = '{ item { id } }'
    for (const operationName of ['password: hunter2', '7\n', 'N'.repeat(1_000)]) await post({ query, operationName })
    const names = events.map((event) => event.type === 'limit.exceeded' && event.operationName)
    expect(names).toEqual(['password', null, 'N'.repeat(100)])
  })

  test('are printed if there is no listener', async () => {
    const print = vi.spyOn(console, 'error').mockReturnValue()
    onTestFinished(() => print.mockRestore())
    const { post } = await open({ aliases: 1 }, { observe: {} })
    await post({ query: `{ item { ${aliases(2)} } }` })
    expect(print.mock.calls.map(([line]) => String(line))).toEqual([expect.stringContaining('"limit.exceeded"')])
  })
})

describe('limits with report: true', () => {
  test.each<[string, Partial<DocumentLimits>, string, (string | number | null)[][]]>([
    ['depth', { depth: 1 }, '{ item { id } }', [['depth', 2, 2]]],
    ['aliases', { aliases: 1 }, `{ item { ${aliases(2)} } }`, [['aliases', 2, 3]]],
    ['cost', { cost: 5 }, '{ items(first: 30) { id } }', [['cost', 31, 31]]],
    ['a page', { pageSize: 5 }, '{ items(first: 30) { id } }', [['pageSize', 30, 31]]],
    ['root fields', { queryRootFields: 1 }, '{ item { id } a: item { id } }', [['queryRootFields', 2, 4]]],
    [
      'several limits',
      { aliases: 1, pageSize: 5, cost: 5 },
      `{ items(first: 9) { ${aliases(2)} } }`,
      [
        ['aliases', 2, 19],
        ['cost', 19, 19],
        ['pageSize', 9, 19],
      ],
    ],
  ])('a document over the limit of %s is reported and answered', async (_what, limits, query, expected) => {
    const { post, events } = await open({ ...limits, report: true })
    const answered = await post({ query })
    expect(answered).toMatchObject({ status: 200, codes: [] })
    expect(answered.body.data).not.toBeNull()
    expect(limitsIn(events)).toEqual(expected)
    expect(events).toMatchObject(expected.map(() => ({ refused: false })))
  })

  test.each<[string, Partial<DocumentLimits>, string]>([
    ['tokens', { tokens: 5 }, '{ item { id } }'],
    ['comments', { comments: 1 }, '{ item { id } } #\n#\n#'],
    ['expandedSelections', { expandedSelections: 2 }, '{ item { id __typename } }'],
    ['depth', { depth: 1 }, `{ item(a: ${'['.repeat(200)}`],
    ['depth', { depth: 1 }, deepByFragments(101)],
  ])('what protects the process is refused: %s of %j', async (limit, limits, query) => {
    const { post, events } = await open({ ...limits, report: true })
    expect(await post({ query })).toMatchObject({ status: 400, codes: ['QUERY_LIMIT_EXCEEDED'] })
    expect(events).toMatchObject([{ limit, refused: true }])
  })

  test('a negative size is refused as BAD_USER_INPUT', async () => {
    const { post, events } = await open({ report: true })
    expect(await post({ query: '{ items(first: -1) { id } }' })).toMatchObject({ codes: ['BAD_USER_INPUT'] })
    expect(events).toEqual([])
  })

  test('rules are decided as ever', async () => {
    const { post, events } = await open({ aliases: 1, report: true }, { rules: { 'Query.item': 'authenticated' } })
    expect(await post({ query: `{ item { ${aliases(2)} } }` })).toMatchObject({ status: 401 })
    expect(events.map(({ type }) => type)).toEqual(['limit.exceeded', 'access.denied'])
  })
})

test('a verdict of prepare names the limits for other servers', async () => {
  const schema = buildSchema('type Query { id: Int }')
  const access = (limits: Partial<DocumentLimits>) =>
    compileAccess({ schema, policy, rules: { 'Query.id': 'public' }, limits })
  const query = 'query Q { a: id b: id }'
  const [exceeded] = (await access({ aliases: 1 }).prepare({ query }, { identity: null })).exceeded
  const [reported] = (await access({ aliases: 1, report: true }).prepare({ query }, { identity: null })).exceeded
  const shared = { code: 'QUERY_LIMIT_EXCEEDED', limit: 'aliases', value: 2, allowed: 1, operationName: 'Q' }
  expect(exceeded).toEqual({ ...shared, cost: null, refused: true })
  expect(reported).toEqual({ ...shared, cost: 2, refused: false })
  expect((await access({}).prepare({ query }, { identity: null })).exceeded).toEqual([])
})

function deepByFragments(depth: number): string {
  const fragments = Array.from({ length: depth - 2 }, (_none, n) => `fragment F${n} on Item { items { ...F${n + 1} } }`)
  return `{ item { ...F0 } } ${fragments.join(' ')} fragment F${depth - 2} on Item { id }`
}
