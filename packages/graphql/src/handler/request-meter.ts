import type { Measurement } from '@latchkey/core'
import { notify } from '@latchkey/core/internal'
import type { HttpRequest } from '@latchkey/http'
import type { Exchange } from './exchange.ts'

/** A request was answered. */
export interface RequestMeasurement extends Measurement {
  readonly type: 'request.finished'
  /** The route as it is written in the documents, such as `/graphql`; `null`: there is no such route, or it is not known. */
  readonly route: string | null
  readonly method: string
  readonly status: number
  /** The kind of the operation; `null`: the request is none of GraphQL, was refused before its document, or was a batch. */
  readonly operation: 'query' | 'mutation' | 'subscription' | null
  /** Whether access was refused: the status is 401 or 403. */
  readonly refused: boolean
  readonly requestId: string | null
}

/** Receives what a request cost, and the request. What it throws is ignored. */
export type OnRequestMeasured = (measurement: RequestMeasurement, request: HttpRequest) => void

export interface RequestMeterOptions {
  readonly onMeasurement?: OnRequestMeasured
  readonly requestId?: (request: HttpRequest) => string | null
}

/** Hands over what an exchange cost. */
export type RequestMeter = (exchange: Exchange, status: number) => void

/** Returns `null` where there is no listener: then nothing is measured. */
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
