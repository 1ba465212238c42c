import { context, propagation, type SpanKind } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from '@opentelemetry/core'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'

/** A point of a metric, as it is exported. */
export interface RecordedPoint {
  readonly attributes: Readonly<Record<string, unknown>>
  readonly value: unknown
}

/** An SDK in memory: the providers, what they have recorded, and its end. */
export interface RecordedTelemetry {
  readonly tracerProvider: TracerProvider
  readonly meterProvider: MeterProvider
  /** The spans that have ended, by their name and kind. */
  readonly spans: (name?: string, kind?: SpanKind) => ReadableSpan[]
  readonly points: (metric: string) => Promise<RecordedPoint[]>
  /** The unit and the bounds of the buckets of a histogram. */
  readonly histogram: (metric: string) => Promise<{ readonly unit: string; readonly boundaries: readonly number[] }>
  readonly everything: () => Promise<string>
  readonly end: () => void
}

/** Registers what an SDK registers globally for active spans and `traceparent`. */
export function recordTelemetry(): RecordedTelemetry {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  const propagators = [new W3CTraceContextPropagator(), new W3CBaggagePropagator()]
  propagation.setGlobalPropagator(new CompositePropagator({ propagators }))
  const spanExporter = new InMemorySpanExporter()
  const tracerProvider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spanExporter })] })
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 3_600_000 })
  const meterProvider = new MeterProvider({ readers: [reader] })
  const collect = async () => {
    metricExporter.reset()
    await reader.forceFlush()
    return metricExporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics))
  }
  const metric = async (name: string) => {
    const found = (await collect()).find(({ descriptor }) => descriptor.name === name)
    return found ?? { descriptor: { unit: '' }, dataPoints: [] }
  }
  const spans = spanExporter.getFinishedSpans.bind(spanExporter)
  return {
    tracerProvider,
    meterProvider,
    spans: (name, kind) =>
      spans().filter((span) => (name ?? span.name) === span.name && (kind ?? span.kind) === span.kind),
    points: async (name) => (await metric(name)).dataPoints.map(({ attributes, value }) => ({ attributes, value })),
    async histogram(name) {
      const { descriptor, dataPoints } = await metric(name)
      const [{ value } = { value: null }] = dataPoints
      const { buckets } = value as unknown as { readonly buckets: { readonly boundaries: readonly number[] } }
      return { unit: descriptor.unit, boundaries: buckets.boundaries }
    },
    everything: async () => JSON.stringify([spans().map(plainSpan), await collect()]),
    end() {
      context.disable()
      propagation.disable()
    },
  }
}

function plainSpan(span: ReadableSpan): object {
  const { name, attributes, events, links, status } = span
  return { name, attributes, events, links, status, state: span.spanContext().traceState?.serialize() }
}
