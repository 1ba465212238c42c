import type { LatchkeyEvent, Measurement } from '@latchkey/core'
import { checkOptionNames } from '@latchkey/core/internal'
import { type MeterProvider, metrics, type TracerProvider, trace } from '@opentelemetry/api'
import { countEvent, recordHash } from './count-decisions.ts'
import { recordTo } from './instruments.ts'
import { scope } from './scope.ts'
import { createExecutionTracer, type TracedOperation } from './trace-execution.ts'
import { createRequestTracer, type RequestFacts, type TracedRequest } from './trace-request.ts'

/** Where spans and measurements go, and which traces they belong to. */
export interface TelemetryOptions {
  /** @default the global one, which an SDK registers */
  readonly tracerProvider?: TracerProvider
  /** @default the global one, which an SDK registers */
  readonly meterProvider?: MeterProvider
  /**
   * What becomes of the trace that a request names in `traceparent`, or as the registered propagator reads it. `parent`: the
   * request is a part of it. `link`: it begins a trace of its own, with a link to that one, and nothing of its baggage is
   * kept; for a service that strangers call directly, who could otherwise choose which requests are sampled.
   * @default 'parent'
   */
  readonly traceparent?: 'parent' | 'link'
}

/**
 * Records traces and metrics. Its methods stand alone: they can be taken from it. None of them throws because of what records,
 * and with no SDK none does anything but call what it is given.
 */
export interface Telemetry {
  /** Answers a request within its span, and records how long that took. */
  readonly traceRequest: <Reply extends { readonly status: number }>(
    request: TracedRequest,
    facts: RequestFacts,
    answer: () => Promise<Reply>,
  ) => Promise<Reply>
  /** Executes an operation within its span, and records how long that took. */
  readonly traceExecution: <Result>(
    operation: TracedOperation,
    execute: () => Promise<Result> | Result,
  ) => Promise<Result> | Result
  /** Records what the hash of a password cost. Other measurements are recorded by their spans. */
  readonly onMeasurement: (measurement: Measurement) => void
  /** Counts a decision by its type and, where it has one, its reason. */
  readonly onEvent: (event: LatchkeyEvent) => void
}

/**
 * Creates what records the work of a service by OpenTelemetry: for the option `telemetry` of `createServer`, or for a server
 * of your own. No attribute has a secret, a token, a cookie, an address, an e-mail address, a path that a client chose or a
 * query string.
 *
 * @throws TypeError when an option is unknown or cannot be used.
 *
 * @example
 * import { createTelemetry } from '@latchkey/telemetry'
 * const telemetry = createTelemetry()
 * const request = new Request('https://example.com/notes')
 * await telemetry.traceRequest(request, { route: '/notes', scheme: 'https' }, async () => new Response('No notes.'))
 */
export function createTelemetry(options: TelemetryOptions = {}): Telemetry {
  const names = { tracerProvider: true, meterProvider: true, traceparent: true } as const
  const { tracerProvider, meterProvider, traceparent = 'parent' } = checkOptionNames('createTelemetry', options, names)
  if (traceparent !== 'parent' && traceparent !== 'link')
    throw new TypeError('"traceparent" must be "parent" or "link"')
  checkProvider('tracerProvider', 'getTracer', tracerProvider)
  checkProvider('meterProvider', 'getMeter', meterProvider)
  const tracer = (tracerProvider ?? trace).getTracer(scope)
  // The global provider may be registered later: then the next measurement goes there.
  const record = recordTo(() => meterProvider ?? metrics.getMeterProvider())
  return {
    traceRequest: createRequestTracer({ tracer, record, traceparent }),
    traceExecution: createExecutionTracer({ tracer, record }),
    onMeasurement: (measurement) => recordHash(measurement, record),
    onEvent: (event) => countEvent(event, record),
  }
}

function checkProvider(name: string, method: string, given: unknown): void {
  if (given === undefined) return
  const provider = given as Readonly<Record<string, unknown>> | null
  if (typeof provider?.[method] !== 'function') throw new TypeError(`"${name}" must have "${method}" or be omitted`)
}
