import { once } from 'node:events'
import { listen } from '@latchkey/server/node'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { type Bench, password } from '../support/bench.ts'
import { createFactorBench, operations, signInWithBoth, withTotp } from '../support/factor-bench.ts'
import { oneStream } from '../support/one-stream.ts'
import { type Answer, copyOf, type Delivery, deliveries, refreshBy, type Visitor } from '../support/visitor.ts'

const sign = ({ headers }: Pick<Answer, 'headers'>) => headers.get('latchkey-credential')
const bench = createFactorBench({ options: oneStream as never })

/** A visitor whose session or token has ended. */
async function ended(of: Bench, delivery: Delivery): Promise<Visitor & { readonly email: string }> {
  const visitor = await of.signedIn('READER', delivery)
  const copy = copyOf(visitor, of.visitor())
  await visitor.ask('mutation { signOut }')
  return Object.assign(copy, { email: visitor.account.email })
}

describe.each(deliveries)('a revoked credential of %s', (delivery) => {
  test('adds the header to every response of both paths, and no cookie is cleared', async () => {
    const visitor = await ended(bench, delivery)
    const stream = `/graphql/stream?query=${encodeURIComponent('subscription { ticks }')}`
    const events = { accept: 'text/event-stream' }
    for (const [answer, status] of [
      [await visitor.ask('{ hello }'), 200],
      [await visitor.ask('{ viewer { id } }'), 401],
      [await visitor.ask('{ nothing }'), 400],
      [await visitor.get(stream, events), 200],
      [await visitor.get(`${stream}x`, events), 400],
    ] as const) {
      expect([answer.status, sign(answer), answer.cookies]).toEqual([status, 'invalid', []])
    }
  })

  test('adds no header to a sign-in, and a header to a refused sign-in', async () => {
    for (const next of deliveries) {
      const visitor = await ended(bench, delivery)
      const { email } = visitor
      const wrong = await visitor.signIn(email, 'not the password', next)
      expect([wrong.status, sign(wrong), wrong.cookies]).toEqual([401, 'invalid', []])
      const signedIn = await visitor.signIn(email, password, next)
      expect([signedIn.status, sign(signedIn)]).toEqual([200, null])
      expect(sign(await visitor.ask('{ hello }'))).toBeNull()
    }
  })

  test('adds the header to a challenge, but not to the sign-in by a second factor', async () => {
    const person = await withTotp(bench)
    const { jar, bearer } = await ended(bench, delivery)
    Object.assign(person, { jar, bearer })
    const first = await person.signIn(person.account.email, password, delivery)
    expect([first.data.signIn.status, sign(first)]).toEqual(['SECOND_FACTOR_REQUIRED', 'invalid'])
    Object.assign(person, { bearer })
    expect(sign(await signInWithBoth(person, delivery))).toBeNull()
  })
})

test.each(['TOKEN', 'NATIVE'] as const)(
  'an expired access token adds the header, but not to a refresh: %s',
  async (delivery) => {
    const visitor = await bench.signedIn('READER', delivery)
    expect(sign(await visitor.ask('{ hello }'))).toBeNull()
    bench.advance(961)
    const { bearer } = visitor
    const answer = await visitor.ask('{ hello }')
    expect([answer.status, sign(answer)]).toEqual([200, 'invalid'])
    visitor.headers = { authorization: `Bearer ${bearer}` }
    const refreshed = await refreshBy(delivery, visitor)
    expect([refreshed.status, sign(refreshed)]).toEqual([200, null])
    visitor.jar.clear()
    const refused = await refreshBy(delivery, Object.assign(visitor, { refreshToken: 'rt_none' }))
    expect([refused.status, sign(refused)]).toEqual([401, 'invalid'])
  },
)

test('no header is added without a credential, in an outage, to a forged request and to pages', async () => {
  const visitor = await ended(bench, 'SESSION')
  for (const answer of [
    await bench.visitor().ask('{ hello }'),
    await bench.visitor().ask(operations.viewer),
    await visitor.ask('{ hello }', {}, { 'sec-fetch-site': 'cross-site' }),
    await visitor.get('/sign-in'),
  ]) {
    expect(sign(answer)).toBeNull()
  }
  await bench.server.close()
  expect(sign(await visitor.ask('{ hello }'))).toBeNull()
})

test('the acknowledgement of a socket names its revoked session', async () => {
  const own = createFactorBench({ options: oneStream as never })
  const { jar } = await ended(own, 'SESSION')
  const listener = await listen(({ port }) => own.at(port), { port: 0, closeOn: [], print: null })
  onTestFinished(() => listener.close())
  const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const headers = { cookie, origin: 'https://example.com' }
  const socket = new WebSocket(`ws://127.0.0.1:${listener.port}/graphql`, ['graphql-transport-ws'], { headers })
  await once(socket, 'open')
  socket.send('{"type":"connection_init"}')
  const [heard] = await once(socket, 'message')
  expect(JSON.parse(String(heard))).toEqual({ type: 'connection_ack', payload: { credential: 'invalid' } })
})
