import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ServerMeasurement } from '@latchkey/server'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createBench, password } from '../support/bench.ts'

type RequestMeasurement = ServerMeasurement & { readonly type: 'request.finished' }

function createMeasured() {
  const measured: ServerMeasurement[] = []
  const bench = createBench({
    options: { observe: { onMeasurement: (measurement) => void measured.push(measurement) } },
  })
  const requests = () => measured.filter((one): one is RequestMeasurement => one.type === 'request.finished')
  return { ...bench, measured, requests }
}

describe('a request is measured', () => {
  test('once, with its route, its operation and the id that its answer has', async () => {
    const { visitor, requests } = createMeasured()
    const { headers } = await visitor().ask('{ __typename }')
    expect(requests()).toEqual([
      {
        type: 'request.finished',
        durationMs: expect.any(Number),
        route: '/graphql',
        method: 'POST',
        status: 200,
        operation: 'query',
        refused: false,
        requestId: headers.get('x-request-id'),
      },
    ])
    expect(requests()[0]?.durationMs).toBeGreaterThan(0)
  })

  test.each([
    ['/healthz', '/healthz', 200],
    ['/readyz', '/readyz', 200],
    ['/verify?token=secret', '/verify', 400],
    ['/nothing/here', null, 404],
  ])("at %s by the name of its route, without the client's input", async (target, route, status) => {
    const { visitor, requests } = createMeasured()
    await visitor().get(target)
    expect(requests()).toMatchObject([{ route, method: 'GET', status, operation: null, refused: false }])
    expect(JSON.stringify(requests())).not.toMatch(/secret|nothing/)
  })

  test('as refused where access is', async () => {
    const { visitor, requests } = createMeasured()
    await visitor().ask('{ viewer { id } }')
    expect(requests()).toMatchObject([{ status: 401, operation: 'query', refused: true }])
  })
})

test('the hash of a sign-in is measured: how long it waited, and how long it took', async () => {
  const measured: ServerMeasurement[] = []
  const { insert, visitor, server } = createBench({
    options: {
      signIn: { passwordHasher: undefined },
      observe: { onMeasurement: (one: ServerMeasurement) => void measured.push(one) },
    } as never,
  })
  const { email } = await insert()
  await visitor().signIn(email, password)
  const [hashed] = measured.filter(({ type }) => type === 'password.hashed')
  expect(hashed).toEqual({
    type: 'password.hashed',
    durationMs: expect.any(Number),
    waitedMs: expect.any(Number),
    lane: 'login',
  })
  await server.close()
})

test('an exception of the listener of measurements changes no response', async () => {
  const onMeasurement = () => {
    throw new Error('the exporter is closed')
  }
  const { visitor } = createBench({ options: { observe: { onMeasurement } } })
  expect((await visitor().ask('{ __typename }')).status).toBe(200)
})

test('a measurement reaches the diagnostics channel that has a subscriber when the server is created', async () => {
  const heard: unknown[] = []
  const listener = (measurement: unknown) => void heard.push(measurement)
  subscribe('latchkey:measurement', listener)
  onTestFinished(() => void unsubscribe('latchkey:measurement', listener))
  await createBench().visitor().ask('{ __typename }')
  expect(heard).toMatchObject([{ type: 'request.finished', route: '/graphql' }])
})

test('a listener of measurements that is not a function is refused', () => {
  expect(() => createBench({ options: { observe: { onMeasurement: 'console' } } as never })).toThrow(
    new TypeError('"observe.onMeasurement" must be a function'),
  )
})
