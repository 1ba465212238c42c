import type { ServerEvent } from '../../settings/events/server-event.ts'
import type { ServiceTelemetry } from '../../settings/events/service-telemetry.ts'
import type { ServerMeasurement } from '../../settings/measuring.ts'

/** Listeners of events and measurements, telemetry, and the readiness check. */
export interface ObserveOptions {
  /**
   * Receives every decision; so does the diagnostics channel `latchkey:event`. What it throws is ignored. Without a
   * listener, failures are printed with `console.error`.
   */
  readonly onEvent?: (event: ServerEvent) => void
  /**
   * Receives what each request and each hash of a password cost; so does the diagnostics channel `latchkey:measurement` if
   * it had a subscriber when the server was created. What it throws is ignored. Omitted: nothing is measured.
   */
  readonly onMeasurement?: (measurement: ServerMeasurement) => void
  /** Traces and metrics by OpenTelemetry: `createTelemetry()` of `@latchkey/telemetry`. Omitted: there are none. */
  readonly telemetry?: ServiceTelemetry
  /**
   * Rejects while something else that the service needs cannot be used, such as the database of the application: `/readyz`
   * answers 503 then, also when it has not answered within 2 s.
   */
  readonly readiness?: () => Promise<void>
}
