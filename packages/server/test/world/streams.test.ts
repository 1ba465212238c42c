import { createMemoryBroadcast } from '@latchkey/store'
import { afterEach, expect, test, vi } from 'vitest'
import { createBench, createMemoryStores, type SignedIn } from '../support/bench.ts'
import { createWorld, type World } from './simulated-world.ts'

// Before all other modules: what these keep of the platform while they are loaded is watched as well.
const { takeRealCalls } = await vi.hoisted(() => import('./watched-platform.ts'))

const typeDefs = `
  extend type Account { greeting: String! @public }
  type Query { hello: String! @public, secretPlan: String! @public }
  type Mutation { writeNote(text: String!): String! @requires(permissions: "notes:write") }
  type Subscription { noted: String! @authenticated }`
const second = 1000

let world: World | null = null
afterEach(() => {
  world?.end()
  world = null
})

const credentialsOf = ({ bearer, jar }: SignedIn): Record<string, string> =>
  bearer
    ? { authorization: `Bearer ${bearer}` }
    : { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '), origin: 'https://example.com' }

/** What a stream says at its end: the sign-in of an access token is still open, and its client opens the stream again. */
const lastWords = {
  SESSION: [
    'event: next data: {"errors":[{"message":"Your sign-in has expired. Sign in and subscribe again.","extensions":{"code":"UNAUTHENTICATED"}}]}',
    'event: complete data:',
  ],
  TOKEN: [],
} as const

const sessions = { lifetimeSeconds: 300, idleSeconds: 300, accessTokens: { lifetimeSeconds: 300 } }

interface Listening {
  readonly delivery: 'SESSION' | 'TOKEN'
  /** The age of the sign-in when the stream is opened, in seconds. */
  readonly age: number
  readonly note: readonly [second: number, text: string]
}

/** What a client hears on a stream that it leaves open, with the second at which it does, and what it is told at one. */
async function listen({ settle, pass, now }: World, { delivery, age, note }: Listening) {
  const broadcast = createMemoryBroadcast()
  const resolvers = {
    Query: { hello: () => 'Hello', secretPlan: () => '' },
    Mutation: { writeNote: () => '' },
    Account: { greeting: () => '' },
    Subscription: { noted: { subscribe: () => broadcast.listen('notes'), resolve: (text: string) => text } },
  }
  const clock = {
    get time() {
      return now()
    },
  }
  const beside = { ...createBench(), clock, stores: createMemoryStores(now) }
  const { server, signedIn } = createBench({ beside, options: { typeDefs, resolvers, sessions } })
  const visitor = await settle(signedIn('READER', delivery))
  for (let elapsed = 0; elapsed < age; elapsed++) await pass(second)
  const openedAt = now()
  const headers = { accept: 'text/event-stream', 'content-type': 'application/json', ...credentialsOf(visitor) }
  const body = JSON.stringify({ query: 'subscription { noted }' })
  const request = new Request('https://example.com/graphql/stream', { method: 'POST', headers, body })
  const response = await settle(server.fetch(request))
  const heard: string[] = []
  const hear = (text: string) => heard.push(`${(now() - openedAt) / second} ${text.trim().replaceAll('\n', ' ')}`)
  const reading = (async () => {
    for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) hear(text)
    hear('and no more')
  })()
  await settle(turns())
  for (let elapsed = 1; elapsed <= 310; elapsed++) {
    await pass(second)
    if (elapsed === note[0]) await settle(broadcast.publish('notes', note[1]))
    await settle(turns())
  }
  await settle(reading)
  await settle(server.close())
  return heard
}

/** A text takes some turns from the service to its reader. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => void setImmediate(resolve))
}

test.each(['SESSION', 'TOKEN'] as const)(
  'a stream of a user with a %s is written and closed by the clock of a simulated world, to the second',
  async (delivery) => {
    world = createWorld(delivery)
    takeRealCalls()
    const heard = await listen(world, { delivery, age: 0, note: [30, 'early'] })
    const pings = Array.from({ length: 22 }, (_none, index) => `${42 + 12 * index} :`)
    expect(heard).toEqual([
      ...['0 :', '12 :', '24 :', '30 event: next data: {"data":{"noted":"early"}}', ...pings],
      ...lastWords[delivery].map((text) => `300 ${text}`),
      '300 and no more',
    ])
    expect(world.timers()).toBe(0)
    expect(takeRealCalls()).toEqual([])
  },
)

test.each(['SESSION', 'TOKEN'] as const)(
  'a stream that is opened one second before its %s expires closes with it, before the first check of the identity',
  async (delivery) => {
    world = createWorld(delivery)
    const heard = await listen(world, { delivery, age: 299, note: [2, 'late'] })
    expect(heard).toEqual(['0 :', ...lastWords[delivery].map((text) => `1 ${text}`), '1 and no more'])
  },
)
