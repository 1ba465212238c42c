import { notify } from '@latchkey/core/internal'
import type { HttpRequest } from '@latchkey/http'
import type { AnyPolicy } from '@latchkey/rbac'
import type { Exchange } from './exchange.ts'
import type { GraphqlHandlerOptions, RequestMeasurement } from './graphql-handler-options.ts'

type OnRequestMeasured = NonNullable<NonNullable<GraphqlHandlerOptions<AnyPolicy>['observe']>['onMeasurement']>

export interface RequestMeterOptions {
  readonly onMeasurement?: OnRequestMeasured
  readonly requestId?: (request: HttpRequest) => string | null
}

/** Reports the cost of an exchange. */
export type RequestMeter = (exchange: Exchange, status: number) => void

/** Returns `null` without a listener: requests are then not measured. */
export function createRequestMeter({ onMeasurement, requestId }: RequestMeterOptions): RequestMeter | null {
  if (!onMeasurement) return null
  return ({ request, plan, elapsed }, status) => {
    notify((measurement: RequestMeasurement) => onMeasurement(measurement, request), {
      type: 'request.finished',
      durationMs: elapsed() ?? 0,
      route: null,
      method: request.method,
      status,
      operation: plan?.operation ?? null,
      refused: status === 401 || status === 403,
      requestId: requestId?.(request) ?? null,
    })
  }
}
