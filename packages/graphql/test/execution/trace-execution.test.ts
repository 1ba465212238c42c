import type { TraceExecution } from '@latchkey/graphql'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { ask, bearer, serve } from '../support/service.ts'

const traced: Parameters<TraceExecution>[0][] = []
const traceExecution: TraceExecution = (operation, execute) => {
  traced.push(operation)
  return execute()
}
const service = await serve({ requestLimits: { batchSize: 3 }, observe: { traceExecution } })
afterAll(() => service.close())
beforeEach(() => void traced.splice(0))

describe('traceExecution wraps', () => {
  test('each operation that is executed, with its type and its name', async () => {
    await ask(service, { query: 'query Greeting { hello }' })
    await ask(service, { query: '{ hello }' })
    expect(traced).toEqual([
      { type: 'query', name: 'Greeting', isTrusted: false },
      { type: 'query', name: null, isTrusted: false },
    ])
  })

  test('the operation that was chosen of several', async () => {
    await ask(service, { query: 'query One { hello } query Two { hello }', operationName: 'Two' })
    expect(traced).toMatchObject([{ name: 'Two' }])
  })

  test.each([
    ['without an identity', { query: '{ viewer }' }],
    ['without the permission', { query: '{ accounts }', headers: bearer('reader') }],
    ['whose document cannot be read', { query: '{' }],
  ])('none %s', async (_what, request) => {
    await ask(service, request)
    expect(traced).toEqual([])
  })
})

test('an error thrown by traceExecution is 500 and is masked', async () => {
  const broken = await serve({
    observe: {
      traceExecution: () => {
        throw new Error('secret tracer')
      },
      onEvent: () => undefined,
    },
  })
  const { status, text } = await ask(broken, { query: '{ hello }' })
  expect(status).toBe(500)
  expect(text).not.toContain('secret')
  await broken.close()
})
