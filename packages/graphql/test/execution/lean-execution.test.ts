import { channel } from 'node:diagnostics_channel'
import { type AccessEvent, compileAccess, createGraphqlHandler, type GraphqlHandler } from '@latchkey/graphql'
import { createIdentityReader } from '@latchkey/http'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { untilExecutorIsLoaded } from '../support/lean-execution.ts'
import { drawOperation, executionPolicy, executionRules, executionSchema } from '../support/random-execution.ts'

let seed = 0
let ran: string[] = []
let events: AccessEvent[] = []
const limits = {
  tokens: 100_000,
  aliases: 10_000,
  queryRootFields: 1000,
  mutationRootFields: 1000,
  directives: 10_000,
  expandedSelections: 1_000_000,
  cost: 10 ** 12,
}

function createHandler(ownership: 'reject' | 'partial'): GraphqlHandler {
  const schema = executionSchema(
    () => seed,
    (path) => ran.push(path),
  )
  return createGraphqlHandler({
    access: compileAccess({ schema, policy: executionPolicy, rules: executionRules, ownership, limits }),
    identify: createIdentityReader({
      bearer: { verify: async (subject) => executionPolicy.identify({ subject, roles: ['READER'] }) },
    }),
    observe: { onEvent: (event) => events.push(event) },
  })
}

/** The parts that differ between requests. */
const unequal = /"(?:id|at|durationMs)":(?:"[^"]*"|[\d.]+)/g

/** All that an answer shows, and all that happened on the way. */
async function askOnce(handler: GraphqlHandler, body: string, subject: string | null): Promise<string> {
  ran = []
  events = []
  const headers = { 'content-type': 'application/json', ...(subject && { authorization: `Bearer ${subject}` }) }
  const response = await handler.fetch(new Request('https://example.com/graphql', { method: 'POST', headers, body }))
  const text = await response.text()
  // What runs on after the answer belongs to it.
  await new Promise((resolve) => setImmediate(resolve))
  await new Promise((resolve) => setImmediate(resolve))
  const causes = events.map((event) => ('cause' in event ? String(event.cause) : ''))
  return [response.status, [...response.headers], text, JSON.stringify(events), causes, ran]
    .join('\n')
    .replace(unequal, '')
}

const isTraced = () => undefined
const executing = channel('tracing:graphql:execute:start')

/** The same by `execute` of graphql, which runs traced operations. */
async function askByExecute(...asked: Parameters<typeof askOnce>): Promise<string> {
  executing.subscribe(isTraced)
  try {
    return await askOnce(...asked)
  } finally {
    executing.unsubscribe(isTraced)
  }
}

const handlers = { reject: createHandler('reject'), partial: createHandler('partial') }
/** How many cases; with TEST_TIER=3 ten thousand. */
const runs = Number(process.env.LATCHKEY_PROPERTY_RUNS ?? (process.env.TEST_TIER === '3' ? 10_000 : 120))

beforeAll(untilExecutorIsLoaded)

function drawBody(drawn: readonly number[]): string {
  let next = 0
  const query = drawOperation((below) => ((drawn[next++ % drawn.length] ?? 0) + next) % below)
  return JSON.stringify({ query, variables: { yes: true, n: 7 } })
}

const choices = fc.array(fc.nat(1_000_000), { minLength: 120, maxLength: 120 })
const subjects = fc.constantFrom('acc_1', 'acc_1', 'acc_2', null)
const ownerships = fc.constantFrom('reject', 'partial')
const drawnCase = fc.tuple(choices.map(drawBody), fc.nat(2 ** 30), subjects, ownerships)

test('an operation has the same status, events, data and resolver calls as with execute of graphql', {
  timeout: 900_000,
}, async () => {
  const counts: Record<string, number> = {}
  await fc.assert(
    fc.asyncProperty(drawnCase, async ([body, drawnSeed, subject, ownership]) => {
      seed = drawnSeed
      const answer = await askByExecute(handlers[ownership], body, subject)
      const kind = `${answer.slice(0, 3)}${answer.includes('"data":{') ? ' with data' : ''}`
      counts[kind] = (counts[kind] ?? 0) + 1
      for (const time of ['first', 'second']) {
        expect({ time, body, answer: await askOnce(handlers[ownership], body, subject) }).toEqual({
          time,
          body,
          answer,
        })
      }
    }),
    { numRuns: runs },
  )
  // The test would prove little if all cases failed, or none did.
  for (const kind of ['200 with data', '200', '401', '500']) expect(counts[kind] ?? 0).toBeGreaterThan(runs / 20)
  expect(counts).toMatchObject({ 403: expect.any(Number), 429: expect.any(Number) })
})

test('an operation is answered the hundredth time as the first time', { timeout: 300_000 }, async () => {
  for (const [body, drawnSeed, subject, ownership] of fc.sample(drawnCase, 4)) {
    seed = drawnSeed
    const answer = await askByExecute(handlers[ownership], body, subject)
    for (let time = 1; time <= 100; time++) {
      expect({ time, body, answer: await askOnce(handlers[ownership], body, subject) }).toEqual({ time, body, answer })
    }
  }
})
