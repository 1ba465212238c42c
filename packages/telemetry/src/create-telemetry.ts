import { checkOptionNames } from '@latchkey/core/internal'
import { type MeterProvider, metrics, type TracerProvider, trace } from '@opentelemetry/api'
import { countEvent, recordHash } from './count-decisions.ts'
import { recordTo } from './instruments.ts'
import { scope } from './scope.ts'
import type { Telemetry } from './telemetry.ts'
import { createExecutionTracer } from './trace-execution.ts'
import { createRequestTracer } from './trace-request.ts'

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
export function createTelemetry(
  options: {
    /** @default the global one, which an SDK registers */
    readonly tracerProvider?: TracerProvider
    /** @default the global one, which an SDK registers */
    readonly meterProvider?: MeterProvider
    /**
     * The use of the trace that a request names in `traceparent`, or in the header of the registered propagator.
     * `parent`: the request joins it. `link`: the request starts a new trace with a link to it and ignores its baggage. Use
     * `link` in a public service, because clients could otherwise choose the sampled requests.
     * @default 'parent'
     */
    readonly traceparent?: 'parent' | 'link'
  } = {},
): Telemetry {
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
