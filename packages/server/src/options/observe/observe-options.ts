import type { Inline } from '../inline.ts'
import type { ServerMeasurement } from './measuring.ts'
import type { ServerEvent } from './server-event.ts'
import type { ServiceTelemetry } from './service-telemetry.ts'

/** Listeners of events and measurements, telemetry, and the readiness check. */
export interface ObserveOptions {
  /**
   * Receives every event, as the diagnostics channel `latchkey:event` does. Errors of the listener are ignored. Omitted:
   * failures are printed with `console.error`.
   */
  readonly onEvent?: (event: ServerEvent) => void
  /**
   * Receives the duration of each request and of each password hash, as the diagnostics channel `latchkey:measurement` does if
   * it has a subscriber when the server is created. Errors of the listener are ignored. Omitted: durations are not measured.
   */
  readonly onMeasurement?: (measurement: ServerMeasurement) => void
  /** Traces and metrics by OpenTelemetry: `createTelemetry()` of `@latchkey/telemetry`. Omitted: no traces or metrics. */
  readonly telemetry?: Inline<ServiceTelemetry>
  /**
   * Checks a dependency of the application, for example its database. `/readyz` responds with 503 if the promise
   * rejects, or is pending after 2 s.
   */
  readonly readiness?: () => Promise<void>
}
