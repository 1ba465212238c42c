import { notify, startDuration } from '@latchkey/core/internal'
import type { RequestMeasurement } from '@latchkey/graphql'
import type { HttpRequest } from '@latchkey/http'
import type { PasswordMeasurement } from '@latchkey/password'
import { findChannel } from './announcer.ts'
import type { ServiceTelemetry } from './service-telemetry.ts'

/** The cost of an answered request or a computed hash. */
export type ServerMeasurement = RequestMeasurement | PasswordMeasurement

/** Measures the requests of a service, and passes on what its parts have measured. */
export interface Measuring {
  readonly report: (measurement: ServerMeasurement) => void
  /** Adds the operation of a request to its measurement. */
  noteOperation(measurement: RequestMeasurement, request: HttpRequest): void
  /** Starts to measure a request. Call the returned function with the answer. */
  start(): (answered: AnsweredRequest) => void
}

/** The facts about an answered request. */
export interface AnsweredRequest extends Pick<RequestMeasurement, 'route' | 'status' | 'requestId'> {
  readonly request: HttpRequest
  /** The kind of operation, if the route answers a single kind. */
  readonly operation: RequestMeasurement['operation']
}

/**
 * Creates the measuring for the listener and, if the runtime has it, the diagnostics channel `latchkey:measurement`.
 * `null` without a listener, a subscriber and telemetry.
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
