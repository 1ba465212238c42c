import type { RequestMeasurement } from '@latchkey/graphql'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { ask, bearer, serve } from '../support/service.ts'

const measured: RequestMeasurement[] = []
const methods: string[] = []
const service = await serve({
  requestLimits: { batchSize: 3 },
  observe: {
    requestId: (request) => request.headers.get('x-name') ?? null,
    onMeasurement: (measurement, request) => {
      measured.push(measurement)
      methods.push(request.method)
    },
  },
})
afterAll(() => service.close())
beforeEach(() => {
  measured.length = 0
  methods.length = 0
})

describe('a request is measured', () => {
  test('once, with its operation, status and request id', async () => {
    await ask(service, { query: '{ hello }', headers: { 'x-name': 'req_1' } })
    expect(measured).toEqual([
      {
        type: 'request.finished',
        durationMs: expect.any(Number),
        route: null,
        method: 'POST',
        status: 200,
        operation: 'query',
        refused: false,
        requestId: 'req_1',
      },
    ])
    expect(measured[0]?.durationMs).toBeGreaterThan(0)
    expect(methods).toEqual(['POST'])
  })

  test.each([
    ['without an identity', { query: '{ viewer }' }, { status: 401, operation: 'query', refused: true }],
    ['without the permission', { query: '{ accounts }', headers: bearer('reader') }, { status: 403, refused: true }],
    ['whose document cannot be read', { query: '{' }, { status: 400, operation: null, refused: false }],
  ])('%s', async (_what, request, expected) => {
    await ask(service, request)
    expect(measured).toMatchObject([expected])
  })
})

test('a listener of measurements that throws changes no answer', async () => {
  const onMeasurement = () => {
    throw new Error('secret exporter')
  }
  const deaf = await serve({ observe: { onMeasurement } })
  expect(await ask(deaf, { query: '{ hello }' })).toMatchObject({ status: 200 })
  await deaf.close()
})
