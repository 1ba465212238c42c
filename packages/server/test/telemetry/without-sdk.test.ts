import { createTelemetry } from '@latchkey/telemetry'
import type { MeterProvider, TracerProvider } from '@opentelemetry/api'
import { expect, test } from 'vitest'
import { createBench, password } from '../support/bench.ts'

const failing = (): never => {
  throw new Error('the exporter is closed')
}

test('without an SDK everything is answered as without telemetry', async () => {
  const { insert, visitor } = createBench({ options: { observe: { telemetry: createTelemetry() } } })
  const { email } = await insert()
  const ada = visitor()
  expect((await ada.signIn(email, password)).data.signIn.status).toBe('SIGNED_IN')
  expect((await ada.ask('{ viewer { email } }')).data).toEqual({ viewer: { email } })
  expect((await ada.get('/nothing')).status).toBe(404)
})

test.each<[string, Partial<{ tracerProvider: TracerProvider; meterProvider: MeterProvider }>]>([
  ['whose tracer throws', { tracerProvider: { getTracer: () => ({ startSpan: failing, startActiveSpan: failing }) } }],
  ['whose meter throws', { meterProvider: { getMeter: failing } }],
])('an SDK %s changes no answer, and an operation is executed once', async (_which, options) => {
  let executed = 0
  const resolvers = {
    Account: { greeting: () => 'Hello' },
    Query: { hello: () => `Hello ${++executed}`, secretPlan: () => '' },
    Mutation: { writeNote: () => '' },
  }
  const { visitor } = createBench({ options: { observe: { telemetry: createTelemetry(options) }, resolvers } })
  expect((await visitor().ask('{ hello }')).data).toEqual({ hello: 'Hello 1' })
})
