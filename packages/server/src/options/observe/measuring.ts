import { notify, startDuration } from '@latchkey/core/internal'
import type { RequestMeasurement } from '@latchkey/graphql'
import type { HttpRequest } from '@latchkey/http'
import type { PasswordMeasurement } from '@latchkey/password'
import { findChannel } from './announcer.ts'
import type { ServiceTelemetry } from './service-telemetry.ts'

/** What something cost: an answered request, or a computed hash. */
export type ServerMeasurement = RequestMeasurement | PasswordMeasurement

/** Measures the requests of a service, and passes on what its parts have measured. */
export interface Measuring {
  readonly report: (measurement: ServerMeasurement) => void
  /** Remembers the operation of a request, which is a part of what is measured of the request. */
  noteOperation(measurement: RequestMeasurement, request: HttpRequest): void
  /** Starts to measure a request; what it returns is called with the answer. */
  start(): (answered: AnsweredRequest) => void
}

/** What is known of a request once it is answered. */
export interface AnsweredRequest extends Pick<RequestMeasurement, 'route' | 'status' | 'requestId'> {
  readonly request: HttpRequest
  /** The kind of the operation where the route answers no other one. */
  readonly operation: RequestMeasurement['operation']
}

/**
 * Creates what measures, for the listener and, where the runtime has it, the diagnostics channel `latchkey:measurement`.
 * `null`: there is neither a listener nor a subscriber nor telemetry, so nothing is measured.
 */
export function createMeasuring(
  onMeasurement: ((measurement: ServerMeasurement) => unknown) | undefined,
  telemetry?: Pick<ServiceTelemetry, 'onMeasurement'>,
): Measuring | null {
  const channel = findChannel('latchkey:measurement')
  if (!onMeasurement && !telemetry && !channel?.hasSubscribers) return null
  const operations = new WeakMap<HttpRequest, RequestMeasurement>()
  const report = (measurement: ServerMeasurement): void => {
    if (channel?.hasSubscribers) channel.publish(measurement)
    if (onMeasurement) notify(onMeasurement, measurement)
    if (telemetry) notify(telemetry.onMeasurement, measurement)
  }
  return {
    report,
    noteOperation: (measurement, request) => void operations.set(request, measurement),
    start() {
      const elapsed = startDuration()
      return ({ request, route, status, requestId, operation }) =>
        report({
          type: 'request.finished',
          durationMs: elapsed(),
          route,
          method: request.method,
          status,
          operation: operations.get(request)?.operation ?? operation,
          refused: status === 401 || status === 403,
          requestId,
        })
    },
  }
}
