import { createServer } from '@latchkey/server'
import { createTestServer } from '@latchkey/server/testing'
import { createMemoryBroadcast } from '@latchkey/store'
import { createRecoveryCodes, createTotp } from '@latchkey/totp'
import { describe, expect, test, vi } from 'vitest'
import { password, policy } from '../support/bench.ts'
import { createFactorBench } from '../support/factor-bench.ts'
import type { Visitor } from '../support/visitor.ts'

const typeDefs = `
  extend type Account { greeting: String! @public }
  type Query { hello: String! @public, secretPlan: String! @public }
  type Mutation { writeNote(text: String!): String! @requires(permissions: "notes:write") }
  type Subscription { noted: String! @authenticated, enrolling: String! @authenticated @beforeEnrollment }`
const patience = { timeout: 30_000, interval: 10 }
const broadcast = createMemoryBroadcast()
const subscribe = () => broadcast.listen('notes')
const resolvers = {
  Query: { hello: () => 'Hello', secretPlan: () => '' },
  Mutation: { writeNote: () => '' },
  Account: { greeting: () => '' },
  Subscription: {
    noted: { subscribe, resolve: (text: string) => text },
    enrolling: { subscribe, resolve: (text: string) => text },
  },
}

const benchWith = (graceSeconds: number) =>
  createFactorBench({
    options: {
      typeDefs,
      resolvers,
      signIn: { secondFactor: { required: 'all', graceSeconds } },
      graphql: { streamLimits: { recheckMs: 100 } },
    },
  })
type Bench = ReturnType<typeof benchWith>

function credentialsOf({ bearer, jar }: Visitor): Record<string, string> {
  if (bearer) return { authorization: `Bearer ${bearer}` }
  return { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '), origin: 'https://example.com' }
}

/** Opens a stream, and collects what it says. */
async function openStream({ server }: Bench, visitor: Visitor, field: string) {
  const headers = { accept: 'text/event-stream', 'content-type': 'application/json', ...credentialsOf(visitor) }
  const body = JSON.stringify({ query: `subscription { ${field} }` })
  const response = await server.fetch(
    new Request('https://example.com/graphql/stream', { method: 'POST', headers, body }),
  )
  const heard = { status: response.status, text: '', isOver: false }
  void (async () => {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) heard.text += chunk
    heard.isOver = true
  })()
  await vi.waitFor(() => expect(heard.text).not.toBe(''), patience)
  return heard
}

describe.each(['SESSION', 'TOKEN'] as const)(
  'a stream of an account that must have a second factor, by %s,',
  (delivery) => {
    test('is refused before the factor is set up, except for marked fields', async () => {
      const bench = benchWith(0)
      const visitor = await bench.signedIn('READER', delivery)
      const refused = await openStream(bench, visitor, 'noted')
      await vi.waitFor(() => expect(refused.isOver).toBe(true), patience)
      expect(refused.text).toMatch(/"code":"FORBIDDEN","reason":"enrollment-required"/)
      const open = await openStream(bench, visitor, 'enrolling')
      await broadcast.publish('notes', 'open')
      await vi.waitFor(() => expect(open.text).toContain('{"data":{"enrolling":"open"}}'), patience)
      await bench.server.close()
    })

    test('closes when the grace period expires', async () => {
      const bench = benchWith(60)
      // Without a role that it could lose.
      const { email } = await bench.insert({ roles: [] })
      const visitor = bench.visitor()
      await visitor.signIn(email, password, delivery)
      const heard = await openStream(bench, visitor, 'noted')
      await broadcast.publish('notes', 'early')
      await vi.waitFor(() => expect(heard.text).toContain('{"data":{"noted":"early"}}'), patience)
      bench.advance(60)
      await vi.waitFor(() => expect(heard.isOver).toBe(true), patience)
      await broadcast.publish('notes', 'late')
      expect(heard.text).not.toContain('late')
      await bench.server.close()
    })
  },
)

describe('a test server whose accounts must have a second factor', () => {
  const open = (graceSeconds: number) =>
    createTestServer(
      createServer<typeof policy>({
        baseUrl: 'https://example.com',
        mails: { mailer: { send: async () => {} } },
        secrets: { load: async () => [{ id: 'a', bytes: new Uint8Array(32) }] },
        stores: { ...createFactorBench().stores },
        signUp: 'closed',
        policy,
        typeDefs: 'type Query { mine: String @authenticated }',
        resolvers: { Query: { mine: () => 'mine' } },
        signIn: {
          totp: createTotp,
          recoveryCodes: createRecoveryCodes,
          secondFactor: { required: ['ADMIN'], graceSeconds },
        },
      }),
    )

  test('signs in as a first sign-in does: within the grace, restricted after it, and free with a factor', async () => {
    const { clock, signedIn, close } = await open(600)
    const admin = await signedIn({ role: 'ADMIN' })
    expect((await admin.graphql('{ mine }')).data).toEqual({ mine: 'mine' })
    await clock.advance({ minutes: 10 })
    expect((await admin.graphql('{ mine }')).code).toBe('FORBIDDEN')
    await close()
    const strict = await open(0)
    const late = await strict.signedIn({ role: 'ADMIN' })
    const { code, errors } = await late.graphql('{ mine }')
    expect([code, errors?.[0]?.extensions?.reason]).toEqual(['FORBIDDEN', 'enrollment-required'])
    const both = await strict.signedIn({ role: 'ADMIN', factors: ['password', 'totp'] })
    expect((await both.graphql('{ mine }')).data).toEqual({ mine: 'mine' })
    const reader = await strict.signedIn({ role: 'READER' })
    expect((await reader.graphql('{ mine }')).data).toEqual({ mine: 'mine' })
    await strict.close()
  })
})
