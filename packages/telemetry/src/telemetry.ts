import type { LatchkeyEvent, Measurement } from '@latchkey/core'

/**
 * Records traces and metrics. The methods do not use `this`, and they do not throw errors of the SDK. Without an SDK
 * they only call the given functions.
 */
export interface Telemetry {
  /** Answers a request within its span, and records how long that took. */
  readonly traceRequest: <Reply extends { readonly status: number }>(
    /** A `Request` of Fetch, or an `HttpRequest` of `@latchkey/http`. */
    request: {
      readonly method: string
      readonly headers: { get(name: string): string | null | undefined }
    },
    /** The facts about a request that a server knows before it responds. */
    facts: {
      /**
       * The pattern of the route in the server, for example `/graphql`, never the path of the request. `null` for a
       * request without a route.
       */
      readonly route: string | null
      readonly scheme: 'http' | 'https'
      /** The value of the header `x-request-id` of the response. */
      readonly requestId?: string | undefined
    },
    answer: () => Promise<Reply>,
  ) => Promise<Reply>
  /** Executes an operation within its span, and records how long that took. */
  readonly traceExecution: <Result>(
    operation: {
      readonly type: 'query' | 'mutation' | 'subscription'
      /** The name in the client's document or in the trusted document. `null` for an anonymous operation. */
      readonly name: string | null
      /** Whether its document is one of the documents that the service knows, so that its names are few. */
      readonly isTrusted: boolean
    },
    execute: () => Promise<Result> | Result,
  ) => Promise<Result> | Result
  /** Records what the hash of a password cost. Other measurements are recorded by their spans. */
  readonly onMeasurement: (measurement: Measurement) => void
  /** Counts a decision by its type and, if it has a reason or a code, by that too. */
  readonly onEvent: (event: LatchkeyEvent) => void
}
