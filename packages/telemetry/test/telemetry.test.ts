import { createTelemetry } from '@latchkey/telemetry'
import { type ContextManager, context, metrics, ROOT_CONTEXT, SpanStatusCode, trace } from '@opentelemetry/api'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'

const exporter = new InMemorySpanExporter()
const tracerProvider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
const reader = new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 3_600_000 })
const meterProvider = new MeterProvider({ readers: [reader] })
const { traceRequest, traceExecution, onEvent, onMeasurement } = createTelemetry({ tracerProvider, meterProvider })

beforeEach(() => exporter.reset())

async function namesOfMetrics(): Promise<string[]> {
  metricExporter.reset()
  await reader.forceFlush()
  const all = metricExporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics)
  return all.flatMap(({ metrics: [...those] }) => those.map(({ descriptor }) => descriptor.name))
}

const request = { method: 'GET', headers: new Map<string, string>() }
const facts = { route: '/notes', scheme: 'https' } as const

class NoteError extends Error {}

describe('an error thrown within a span', () => {
  test.each([
    [new NoteError('secret note'), 'NoteError'],
    [new (class extends Error {})('secret'), '_OTHER'],
    ['secret text', '_OTHER'],
    [null, '_OTHER'],
  ])('is passed on, and named by its class alone (%s)', async (thrown, type) => {
    const failing = () => Promise.reject(thrown)
    await expect(traceRequest(request, facts, failing)).rejects.toBe(thrown)
    const operation = { type: 'query', name: null, isTrusted: false } as const
    await expect(traceExecution(operation, failing)).rejects.toBe(thrown)
    const spans = exporter.getFinishedSpans()
    expect(spans.map(({ attributes }) => attributes['error.type'])).toEqual([type, type])
    expect(spans.map(({ status }) => status)).toEqual(Array(2).fill({ code: SpanStatusCode.ERROR }))
    expect(spans.flatMap(({ events }) => events)).toEqual([])
  })

  test('the span is finished if the work throws before it returns a promise', () => {
    const thrown = new NoteError()
    const failing = () => {
      throw thrown
    }
    expect(() => traceExecution({ type: 'query', name: null, isTrusted: false }, failing)).toThrow(thrown)
    expect(exporter.getFinishedSpans()).toHaveLength(1)
  })
})

test.each(['active', 'before', 'after'])(
  'a context manager that throws changes no response, and the work runs once (%s)',
  async (when) => {
    const manager: ContextManager = {
      active() {
        if (when === 'active') throw new Error('it is shut down')
        return ROOT_CONTEXT
      },
      with(_context, work, self, ...given) {
        if (when !== 'before') work.call(self as never, ...given)
        throw new Error('it is shut down')
      },
      bind: (_context, target) => target,
      enable: () => manager,
      disable: () => manager,
    }
    context.setGlobalContextManager(manager)
    onTestFinished(() => context.disable())
    let done = 0
    const work = async () => ({ status: 200, done: ++done })
    expect(await traceRequest(request, facts, work)).toEqual({ status: 200, done: 1 })
    expect(traceExecution({ type: 'query', name: null, isTrusted: false }, () => ++done)).toBe(2)
  },
)

test('an error without a constructor is rethrown unchanged', async () => {
  const thrown = Object.assign(new Error('secret'), { constructor: undefined })
  await expect(traceRequest(request, facts, () => Promise.reject(thrown))).rejects.toBe(thrown)
  expect(exporter.getFinishedSpans()).toMatchObject([{ attributes: { 'error.type': '_OTHER' } }])
})

test('a synchronous result is returned synchronously', () => {
  expect(traceExecution({ type: 'query', name: 'Notes', isTrusted: false }, () => 7)).toBe(7)
  expect(exporter.getFinishedSpans()).toMatchObject([{ name: 'query' }])
})

test('a method as a client may send it is no attribute', async () => {
  await traceRequest({ ...request, method: 'secret' }, { ...facts, route: null }, async () => ({ status: 200 }))
  const [span] = exporter.getFinishedSpans()
  expect(span?.name).toBe('HTTP')
  expect(JSON.stringify(span?.attributes)).not.toContain('secret')
})

test('events and hashes are recorded; a measurement of another kind is left to its span', async () => {
  onMeasurement({ type: 'request.finished', durationMs: 1 })
  expect(await namesOfMetrics()).not.toContain('latchkey.password.hash.duration')
  onMeasurement(Object.assign({ type: 'password.hashed', durationMs: 30 } as const, { waitedMs: 1, lane: 'login' }))
  const nowhere = {
    accountId: 'acc_1',
    sessionKey: null,
    address: null,
    device: null,
    requestId: null,
    durationMs: null,
  }
  onEvent(Object.assign({ type: 'note.deleted', at: 0, ...nowhere } as const, { reason: 'a text with spaces' }))
  expect(await namesOfMetrics()).toEqual(
    expect.arrayContaining(['latchkey.password.hash.duration', 'latchkey.password.hash.wait', 'latchkey.events']),
  )
  const data = JSON.stringify(metricExporter.getMetrics().map(({ scopeMetrics }) => scopeMetrics))
  expect(data).toContain('note.deleted')
  expect(data).not.toMatch(/acc_1|a text with spaces/)
})

test('an SDK that is registered later records from then on', async () => {
  const telemetry = createTelemetry()
  await telemetry.traceRequest(request, facts, async () => ({ status: 200 }))
  expect(exporter.getFinishedSpans()).toEqual([])
  trace.setGlobalTracerProvider(tracerProvider)
  metrics.setGlobalMeterProvider(meterProvider)
  onTestFinished(() => {
    trace.disable()
    metrics.disable()
  })
  await telemetry.traceRequest(request, { ...facts, route: '/later' }, async () => ({ status: 200 }))
  expect(exporter.getFinishedSpans()).toMatchObject([{ name: 'GET /later' }])
  await namesOfMetrics()
  expect(JSON.stringify(metricExporter.getMetrics().map(({ scopeMetrics }) => scopeMetrics))).toContain('/later')
})

test.each<[object, string]>([
  [{ traceparent: 'ignore' }, '"traceparent" must be "parent" or "link"'],
  [{ tracerProvider: {} }, '"tracerProvider" must have "getTracer" or be omitted'],
  [{ meterProvider: null }, '"meterProvider" must have "getMeter" or be omitted'],
])('an option that cannot be used is refused by name: %o', (options, message) => {
  expect(() => createTelemetry(options)).toThrow(new TypeError(message))
})

test('an option that is misspelt is refused', () => {
  expect(() => createTelemetry({ traceParent: 'link' } as never)).toThrow(TypeError)
})
