import { createMemoryBroadcast } from '@latchkey/store'
import { describe, expect, test, vi } from 'vitest'
import type { Bench } from '../support/bench.ts'
import type { Visitor } from '../support/visitor.ts'
import { acting } from './impersonating.ts'

const typeDefs = `
  type Query { hello: String! @public }
  type Subscription { noted: String! @authenticated, owned: String! @authenticated @firstParty }`
const broadcast = createMemoryBroadcast()
const subscribe = () => broadcast.listen('notes')
const resolvers = {
  Query: { hello: () => 'Hello' },
  Subscription: {
    noted: { subscribe, resolve: (text: string) => text },
    owned: { subscribe, resolve: (text: string) => text },
  },
}
const options = { typeDefs, resolvers, graphql: { streamLimits: { recheckMs: 100 } } }
const patience = { timeout: 30_000, interval: 10 }

function credentialsOf({ bearer, jar, csrfToken }: Visitor): Record<string, string> {
  if (bearer) return { authorization: `Bearer ${bearer}` }
  const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
  return { cookie, origin: 'https://example.com', 'x-csrf-token': csrfToken ?? '' }
}

/** Asks for a stream, and collects what it says. */
async function openStream({ server }: Bench, visitor: Visitor, query: string) {
  const headers = { accept: 'text/event-stream', 'content-type': 'application/json', ...credentialsOf(visitor) }
  const asked = { method: 'POST', headers, body: JSON.stringify({ query }) }
  const { body } = await server.fetch(new Request('https://example.com/graphql/stream', asked))
  const heard = { text: '', isOver: false }
  void (async () => {
    for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) heard.text += chunk
    heard.isOver = true
  })()
  await vi.waitFor(() => expect(heard.text).not.toBe(''), patience)
  return heard
}

describe.each(['SESSION', 'NATIVE'] as const)("an impersonator's stream, by %s,", (delivery) => {
  type Scene = Awaited<ReturnType<typeof acting>>
  const endings: readonly (readonly [string, (scene: Scene) => unknown])[] = [
    ['the administrator signs out', ({ before }) => before.ask('mutation { signOut }')],
    ['the account becomes an administrator', ({ bench, owner }) => changeRoles(bench, owner.account.id, ['ADMIN'])],
    ['the administrator is none any more', ({ bench, adminId }) => changeRoles(bench, adminId, ['AUTHOR'])],
    ['the time is over', ({ bench }) => bench.advance(900)],
  ]
  const changeRoles = ({ stores }: Bench, id: string, roles: readonly string[]) =>
    stores.accounts.replace(id, {}, { roles })

  test.each(endings)('closes when %s, and sends no later event', async (_when, end) => {
    const scene = await acting(delivery, options)
    const heard = await openStream(scene.bench, scene.admin, 'subscription { noted }')
    await broadcast.publish('notes', 'early')
    await vi.waitFor(() => expect(heard.text).toContain('{"data":{"noted":"early"}}'), patience)
    await end(scene)
    // The next check is due.
    scene.bench.advance(1)
    await vi.waitFor(() => expect(heard.isOver).toBe(true), patience)
    await broadcast.publish('notes', 'late')
    expect(heard.text).not.toContain('late')
    await scene.bench.server.close()
  })

  test.each([
    ['a stream', 'subscription { owned }'],
    ['a field that tests a secret', 'mutation { refresh { accessToken } }'],
  ])('is refused what is its owners alone: %s', async (_what, query) => {
    const { bench, admin } = await acting(delivery, options)
    const heard = await openStream(bench, admin, query)
    await vi.waitFor(() => expect(heard.isOver).toBe(true), patience)
    expect(heard.text).toContain('"code":"FORBIDDEN","reason":"impersonated"')
    expect(heard.text).not.toContain('"data"')
    await bench.server.close()
  })
})
