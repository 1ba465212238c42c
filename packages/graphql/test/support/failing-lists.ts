// A process of its own, in which lists of all kinds fail at all times: `failing-lists.ts <way>…`. Where a rejection is left
// unhandled it ends, as every program on Node.js does. Otherwise it says how many operations it has answered.
import { channel } from 'node:diagnostics_channel'
import { registerHooks } from 'node:module'

if (process.env.GRAPHQL_MAJOR === '16') {
  const url = import.meta.resolve('graphql-16')
  registerHooks({ resolve: (name, context, next) => (name === 'graphql' ? next(url, context) : next(name, context)) })
}
// After the hooks, which decide the imports of these modules.
const { buildSchema, execute, isObjectType, parse, validate } = await import('graphql')
const { compileAccess, createGraphqlHandler, createSubscriptions } = await import('@latchkey/graphql')
const { createStreamHandler } = await import('@latchkey/graphql/sse')
const { createIdentityReader } = await import('@latchkey/http')
const { definePolicy } = await import('@latchkey/rbac')

const lists =
  'asyncs: [Item!]!, things: [Thing!]!, nested: [[Item!]!]!, plain: [Item!]!, mixed: [Item!]!, promised: [Item!]!, numbers: [Int!]!, lateNumbers: [Int!]!, yielded: [Item!]!, optional: [Item], turns: [Item!]!'
const schema = buildSchema(`
  union Thing = Item
  type Item { soon: Int!, soonFails: Int!, lateFails: Int!, nowFails: Int!, atTurn: Int!, items: [Item!]!, thing: Thing! }
  type Query { ${lists}, soonFails: Int!, nowFails: Int!, hangs: Int, items: [Item!] }
  type Mutation { ${lists}, nowFails: Int! }
  type Subscription { ${lists} }`)

let unsettled = 0
async function waitFor<Value>(milliseconds: number, value: () => Value): Promise<Value> {
  unsettled++
  await new Promise<void>((resolve) => (milliseconds === 0 ? setImmediate(resolve) : setTimeout(resolve, milliseconds)))
  unsettled--
  return value()
}

const fail = (): never => {
  throw new Error('expected')
}
const item = {}
const soon = () => waitFor(0, () => 1)
async function* comeLater(first: unknown): AsyncGenerator<unknown> {
  yield first
  yield await waitFor(4, () => item)
  yield await waitFor(4, () => item)
}

const resolvers: Readonly<Record<string, (source: { readonly turn?: number }) => unknown>> = {
  soon,
  soonFails: () => waitFor(0, fail),
  lateFails: () => waitFor(6, fail),
  nowFails: fail,
  atTurn: ({ turn = 0 }) => (turn === 0 ? waitFor(4, fail) : fail()),
  items: () => [item, item],
  thing: () => waitFor(0, () => item),
  hangs: () => new Promise(() => undefined),
  asyncs: () => comeLater(item),
  things: async () => comeLater(item),
  nested: () => [[item], comeLater(item)],
  plain: () => [item, item],
  mixed: () => [item, null],
  promised: () => [waitFor(4, () => item), waitFor(0, fail), waitFor(4, fail)],
  numbers: () => [1, soon(), null],
  lateNumbers: () => [waitFor(4, fail), null],
  *yielded() {
    yield item
    yield waitFor(0, fail)
    fail()
  },
  optional: () => [item, null],
  turns: () => [{ turn: 0 }, { turn: 1 }],
}
const rules: Record<string, 'public'> = {}
for (const type of Object.values(schema.getTypeMap())) {
  if (!isObjectType(type) || type.name.startsWith('__')) continue
  for (const [name, field] of Object.entries(type.getFields())) {
    rules[`${type.name}.${name}`] = 'public'
    field.resolve = (source) => resolvers[name]?.(source)
    if (type.name !== 'Subscription') continue
    field.subscribe = async function* () {
      yield {}
    }
  }
}
Object.assign(schema.getType('Thing') ?? {}, { resolveType: () => 'Item' })

const policy = definePolicy({ permissions: ['items:read'], roles: {} })
const access = compileAccess({ schema, policy, rules })
const identify = createIdentityReader({ bearer: { verify: async () => policy.identify(null) } })
const onEvent = () => undefined
const handler = createGraphqlHandler({ access, identify, observe: { onEvent }, requestLimits: { executionMs: 150 } })
const streams = createStreamHandler({ subscriptions: createSubscriptions({ access, identify, observe: { onEvent } }) })

async function post(to: Pick<typeof handler, 'fetch'>, query: string, accept: string, signal: AbortSignal) {
  const headers = { 'content-type': 'application/json', accept }
  const body = JSON.stringify({ query })
  const response = await to.fetch(new Request('https://example.com/', { method: 'POST', headers, body, signal }))
  return response.text()
}

const never = new AbortController().signal
const json = 'application/json'
const ways: Readonly<Record<string, (query: string) => Promise<unknown>>> = {
  answered: (query) => post(handler, query, json, never),
  traced(query) {
    channel('tracing:graphql:execute:start').subscribe(onEvent)
    return post(handler, query, json, never)
  },
  left: (query) => post(handler, query, json, AbortSignal.timeout(3)),
  async prepared(query) {
    const verdict = await access.prepare({ query }, { identity: null })
    return verdict.ok ? await execute(verdict.args) : verdict.errors
  },
  subscribed: (query) =>
    post(streams, query.replace(/^(?:query|mutation)?/, 'subscription'), 'text/event-stream', never),
}

const below = [
  '',
  '{ soonFails }',
  '{ lateFails }',
  '{ soon lateFails nowFails }',
  '{ atTurn }',
  '{ items { lateFails } }',
]
const things = ['{ ... on Item { soonFails } }', '{ ... on Item { thing { ... on Item { lateFails } } } }']
const fieldNames = lists.match(/\w+(?=:)/g) ?? []
const fields = fieldNames.flatMap((name) => [...below, ...things].map((selection) => `${name} ${selection}`))
const documents = fields
  .flatMap((field) => [
    `{ ${field} }`,
    `{ ${field} soonFails }`,
    `{ ${field} nowFails }`,
    `{ ${field} hangs }`,
    `{ a: ${field} b: ${field} items { lateFails } }`,
    `mutation { ${field} nowFails }`,
  ])
  .filter((document) => validate(schema, parse(document)).length === 0)

// A subscription has one root field; only the endpoint stops a hanging resolver.
const asked: Readonly<Record<string, RegExp>> = { subscribed: /^\{ \w+ (?:\{.*\} )?\}$/, prepared: /^(?!.*hangs)/ }
// The first ones are executed by `execute` of graphql, until its parts are loaded.
await post(handler, '{ __typename }', json, never)
await waitFor(100, () => 1)
for (const way of process.argv.slice(2)) {
  const ask = ways[way]
  if (!ask) throw new Error(`${way} is none of ${Object.keys(ways)}`)
  const sent = documents.filter((document) => asked[way]?.test(document) ?? true)
  for (let start = 0; start < sent.length; start += 40) await Promise.all(sent.slice(start, start + 40).map(ask))
  while (unsettled > 0) await new Promise((resolve) => setTimeout(resolve, 10))
  console.log(`${way}: ${sent.length} answered`)
}
process.exit()
