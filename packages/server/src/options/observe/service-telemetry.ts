import type { LatchkeyEvent, Measurement } from '@latchkey/core'
import type { TraceExecution } from '@latchkey/graphql'
import type { HttpRequest, HttpResponse } from '@latchkey/http'

/** Records the work of a service: `createTelemetry` of `@latchkey/telemetry` creates it. */
export interface ServiceTelemetry {
  /** Calls `respond` once and returns its response. */
  readonly traceRequest: (
    request: HttpRequest,
    facts: {
      /** The route as documented, for example `/graphql`; `null` if no route matches. */
      readonly route: string | null
      readonly scheme: 'http' | 'https'
      readonly requestId: string
    },
    respond: () => Promise<HttpResponse>,
  ) => Promise<HttpResponse>
  readonly traceExecution: TraceExecution
  readonly onMeasurement: (measurement: Measurement) => void
  readonly onEvent: (event: LatchkeyEvent) => void
}

const methods = ['traceRequest', 'traceExecution', 'onMeasurement', 'onEvent'] as const

/** @throws TypeError when it cannot be used. */
export function checkTelemetry(telemetry: ServiceTelemetry | undefined): void {
  if (telemetry === undefined) return
  if (methods.every((method) => typeof telemetry?.[method] === 'function')) return
  throw new TypeError('"observe.telemetry" must be createTelemetry() of "@latchkey/telemetry", or be omitted')
}
