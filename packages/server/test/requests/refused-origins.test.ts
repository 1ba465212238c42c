import { once } from 'node:events'
import { createSoftwareAuthenticator } from '@latchkey/passkeys/testing'
import { listen } from '@latchkey/server/node'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { type Bench, createBench, password, typeDefs } from '../support/bench.ts'
import { createFactorBench, operations } from '../support/factor-bench.ts'
import { outcomeOf, signInMutation } from '../support/visitor.ts'

const vite = 'http://localhost:5173'
const inDevelopment = { baseUrl: 'http://localhost:4000' }
const refusals = ({ events }: Bench) => events.filter(({ type }) => type === 'origin.refused')
const named = (origin: string, check: 'forgery' | 'passkey') => ({
  type: 'origin.refused',
  origin,
  check,
  setting: 'http.allowedOrigins',
})

describe('in development', () => {
  test('the origin of each forged request is announced, once', async () => {
    const bench = createBench({ options: inDevelopment })
    const visitor = await bench.signedIn()
    for (const origin of [vite, 'http://evil.example', vite]) {
      expect(outcomeOf(await visitor.ask('{ viewer { id } }', {}, { origin }))).toEqual([403, 'CSRF_REJECTED'])
    }
    expect(refusals(bench)).toMatchObject([named(vite, 'forgery'), named('http://evil.example', 'forgery')])
    expect(refusals(bench)[0]).toMatchObject({ requestId: expect.stringMatching(/./), at: bench.clock.time })
  })

  test('the origin of a forged sign-in without a cookie, and of a forged form, is announced', async () => {
    const bench = createBench({ options: inDevelopment })
    const { email } = await bench.insert()
    const signIn = await bench.visitor().ask(signInMutation, { input: { email, password } }, { origin: vite })
    expect(outcomeOf(signIn)).toEqual([403, 'CSRF_REJECTED'])
    const form = await bench.visitor().post('/sign-in', { email, password }, { origin: 'http://form.example' })
    expect(form.status).toBe(403)
    expect(refusals(bench)).toMatchObject([named(vite, 'forgery'), named('http://form.example', 'forgery')])
  })

  test('the origin of a WebSocket with a cookie is announced', async () => {
    const withEvents = `${typeDefs} type Subscription { ticks: Int @public }`
    const bench = createBench({ options: { ...inDevelopment, typeDefs: withEvents } })
    const { jar } = await bench.signedIn()
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const listener = await listen(({ port }) => bench.at(port), { port: 0, closeOn: [], print: null })
    onTestFinished(() => listener.close())
    const url = `ws://127.0.0.1:${listener.port}/graphql`
    const socket = new WebSocket(url, ['graphql-transport-ws'], { headers: { cookie, origin: vite } })
    socket.on('error', () => undefined)
    const [, response] = await once(socket, 'unexpected-response')
    response.resume()
    expect(response.statusCode).toBe(403)
    expect(refusals(bench)).toMatchObject([named(vite, 'forgery')])
  })

  test('a passkey of an origin that is not allowed is refused in the usual words, and events name reason and origin', async () => {
    const bench = createFactorBench({ options: inDevelopment })
    const visitor = await bench.signedIn()
    const authenticator = createSoftwareAuthenticator({ origin: 'http://localhost:4000' })
    const register = async (origin?: string) => {
      const started = await visitor.ask(operations.register)
      const options = JSON.parse(started.data.startPasskeyRegistration.options)
      const response = JSON.stringify(await authenticator.create(options, origin === undefined ? {} : { origin }))
      return visitor.ask(operations.registered, { input: { name: 'Laptop', response } })
    }
    expect(outcomeOf(await register('http://127.0.0.1:5173'))).toEqual([403, 'INVALID_CREDENTIALS'])
    expect((await register()).status).toBe(200)
    const stranger = bench.visitor()
    for (let times = 0; times < 2; times++) {
      const { data } = await stranger.ask(operations.startPasskey)
      const options = JSON.parse(data.startPasskeySignIn.options)
      const response = JSON.stringify(await authenticator.get(options, { origin: vite }))
      const answer = await stranger.ask(operations.finishPasskey, { input: { response } })
      expect(outcomeOf(answer)).toEqual([401, 'INVALID_CREDENTIALS'])
      expect(answer.text).not.toContain('rigin')
    }
    expect(bench.events).toContainEqual(
      expect.objectContaining({ type: 'second-factor.failed', factor: 'passkey', reason: 'passkey-origin' }),
    )
    expect(refusals(bench)).toMatchObject([named('http://127.0.0.1:5173', 'passkey'), named(vite, 'passkey')])
  })

  test('a refusal for another reason announces no origin', async () => {
    const bench = createBench({ options: { ...inDevelopment, http: { corsOrigins: ['http://app.example'] } } })
    const visitor = await bench.signedIn('READER', 'TOKEN')
    visitor.jar.clear()
    const denied = await visitor.ask('mutation { writeNote(text: "T") }', {}, { origin: 'http://app.example' })
    expect(outcomeOf(denied)).toEqual([403, 'FORBIDDEN'])
    const own = await bench.signedIn('AUTHOR')
    const untold = await own.ask('mutation { writeNote(text: "T") }', {}, { 'x-csrf-token': 'none' })
    expect(outcomeOf(untold)).toEqual([403, 'CSRF_REJECTED'])
    expect(refusals(bench)).toEqual([])
  })

  test.each(['two words', `http://${'a'.repeat(200)}.example`, '', 'http://\u00e9.example'])(
    'an unprintable origin, %j, is refused without an event',
    async (origin) => {
      const bench = createBench({ options: inDevelopment })
      const visitor = await bench.signedIn()
      expect(outcomeOf(await visitor.ask('{ hello }', {}, { origin }))).toEqual([403, 'CSRF_REJECTED'])
      expect(refusals(bench)).toEqual([])
    },
  )

  test('an allowed origin emits no event if its page is refused as of another site', async () => {
    const bench = createBench({ options: { ...inDevelopment, http: { allowedOrigins: [vite] } } })
    const visitor = await bench.signedIn()
    const headers = { origin: vite, 'sec-fetch-site': 'cross-site' }
    expect(outcomeOf(await visitor.ask('{ hello }', {}, headers))).toEqual([403, 'CSRF_REJECTED'])
    expect(refusals(bench)).toEqual([])
  })

  test('at most a hundred origins are reported, each in one line of the log without a listener', async () => {
    const bench = createBench({ options: inDevelopment })
    const visitor = await bench.signedIn()
    for (let index = 0; index < 120; index++) await visitor.ask('{ hello }', {}, { origin: `http://h${index}.example` })
    expect(refusals(bench)).toHaveLength(100)

    const print = vi.spyOn(console, 'error').mockReturnValue()
    onTestFinished(() => print.mockRestore())
    const silent = createBench({ options: { ...inDevelopment, observe: { onEvent: undefined } } as never })
    const other = await silent.signedIn()
    for (let times = 0; times < 3; times++) await other.ask('{ hello }', {}, { origin: vite })
    expect(print.mock.calls).toEqual([[expect.stringMatching(/^latchkey: .*localhost:5173.*http\.allowedOrigins/)]])
  })
})

test('a refused origin emits no event in production, because forgers choose it', async () => {
  const bench = createBench()
  const visitor = await bench.signedIn()
  expect(outcomeOf(await visitor.ask('{ hello }', {}, { origin: vite }))).toEqual([403, 'CSRF_REJECTED'])
  expect(refusals(bench)).toEqual([])
})
