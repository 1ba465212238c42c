import { allowPlainHttpOnLoopback } from '@latchkey/http'
import { describe, expect, test, vi } from 'vitest'
import { type Bench, createBench, password } from '../support/bench.ts'
import type { Visitor } from '../support/visitor.ts'

const viewer = '{ viewer { email } }'
const baseUrl = 'http://127.0.0.1:4000'

interface Signed extends Visitor {
  readonly email: string
}

/** Of the cookies with credentials: a device goes on being recognized. */
const namesOf = (jar: ReadonlyMap<string, string>) => [...jar.keys()].filter((name) => !name.endsWith('device'))

/** Two services at two ports of one host: a browser sends each the cookies of both. */
async function visitBoth(...options: readonly [object, object]) {
  const jar = new Map<string, string>()
  const visit = async (bench: Bench): Promise<Signed> => {
    const { email } = await bench.insert()
    const visitor = Object.assign(bench.visitor(), { jar, email })
    await visitor.signIn(email, password)
    return visitor
  }
  const [first, second] = options.map((more, index) =>
    createBench({ options: { baseUrl: `http://127.0.0.1:${4000 + index}`, ...more } }),
  ) as [Bench, Bench]
  return { jar, first: await visit(first), second: await visit(second) }
}

describe('two services on one host', () => {
  test('sign out the other service if their cookies have the same names', async () => {
    const { jar, first, second } = await visitBoth({}, {})
    expect(namesOf(jar)).toEqual(['__Host-session'])
    expect([(await first.ask(viewer)).status, (await second.ask(viewer)).status]).toEqual([401, 200])
  })

  test('keep sessions and refresh tokens apart if the names differ', async () => {
    const { jar, first, second } = await visitBoth(
      { sessions: { cookie: { name: 'notes' } } },
      { sessions: { cookie: { name: 'shop' } } },
    )
    expect(namesOf(jar)).toEqual(['__Host-notes-session', '__Host-shop-session'])
    for (const { ask, email } of [first, second]) expect((await ask(viewer)).data).toEqual({ viewer: { email } })

    expect((await second.ask('mutation { signOut }')).data).toEqual({ signOut: true })
    expect(namesOf(jar)).toEqual(['__Host-notes-session'])
    expect((await first.ask(viewer)).status).toBe(200)

    await first.signIn(first.email, password, 'TOKEN')
    await second.signIn(second.email, password, 'TOKEN')
    expect(namesOf(jar)).toEqual(['__Host-notes-refresh', '__Host-shop-refresh'])
    expect([...jar.keys()]).toEqual(expect.arrayContaining(['__Host-notes-device', '__Host-shop-device']))
    for (const visitor of [first, second]) {
      visitor.bearer = null
      expect((await visitor.ask('mutation { refresh { accessToken } }')).status).toBe(200)
    }
  })
})

describe('the names of the cookies', () => {
  test.each([
    ['by default', {}, '__Host-session', '__Host-refresh'],
    [
      'with a prefix',
      { sessions: { cookie: { prefix: '__Host-Http-' } } },
      '__Host-Http-session',
      '__Host-Http-refresh',
    ],
    ['with a name', { sessions: { cookie: { name: 'notes-2' } } }, '__Host-notes-2-session', '__Host-notes-2-refresh'],
    [
      'with both',
      { sessions: { cookie: { prefix: '__Host-Http-', name: 'notes' } } },
      '__Host-Http-notes-session',
      '__Host-Http-notes-refresh',
    ],
    [
      'over plain http',
      { baseUrl, http: { transport: allowPlainHttpOnLoopback }, sessions: { cookie: { name: 'notes' } } },
      'latchkey-notes-session',
      'latchkey-notes-refresh',
    ],
  ])('%s', async (_what, options, session, refresh) => {
    const { visitor, insert } = createBench({ options: options as never })
    const { email } = await insert()
    const one = visitor()
    await one.signIn(email, password)
    expect([...one.jar.keys()]).toEqual([session, session.replace(/session$/, 'device')])
    await one.signIn(email, password, 'TOKEN')
    expect(namesOf(one.jar)).toEqual([refresh])
  })

  test.each([
    '',
    'Notes',
    '2notes',
    '-notes',
    'my notes',
    'notes;',
    'notes=1',
    'notes_1',
    'nötes',
    'http',
    'http-notes',
    'n'.repeat(33),
    7,
    null,
  ])('are not made with %j', (name) => {
    const create = () => createBench({ options: { sessions: { cookie: { name } } } as never })
    expect(create).toThrow(TypeError)
    expect(create).toThrow('"sessions.cookie.name" must be')
  })
})

describe('cookies without Secure', () => {
  const options = { baseUrl, http: { transport: allowPlainHttpOnLoopback } } as const

  test('are an event of the start, once', async () => {
    const { server, events, clock } = createBench({ options })
    await server.open()
    await server.open()
    expect(events).toMatchObject([{ type: 'transport.weakened', at: clock.time, setting: 'http.transport' }])
    const other = createBench({ options: { baseUrl } })
    await other.server.open()
    expect(other.events).toEqual([])
  })

  test('are a single line of the log without a listener', async () => {
    const print = vi.spyOn(console, 'error').mockReturnValue()
    await createBench({ options: { ...options, observe: { onEvent: undefined } } as never }).server.open()
    expect(print.mock.calls).toEqual([
      [expect.stringMatching(/^latchkey: .*transport\.weakened.*"setting":"http.transport"/)],
    ])
    print.mockRestore()
  })
})
