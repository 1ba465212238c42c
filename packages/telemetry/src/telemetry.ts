import type { LatchkeyEvent, Measurement } from '@latchkey/core'

/**
 * Records traces and metrics. Its methods stand alone: they can be taken from it. None of them throws because of what records,
 * and with no SDK none does anything but call what it is given.
 */
export interface Telemetry {
  /** Answers a request within its span, and records how long that took. */
  readonly traceRequest: <Reply extends { readonly status: number }>(
    /** A `Request` of Fetch, or an `HttpRequest` of `@latchkey/http`. */
    request: {
      readonly method: string
      readonly headers: { get(name: string): string | null | undefined }
    },
    /** What a server knows of a request before it responds. */
    facts: {
      /** The route as it is written in the server, such as `/graphql`, never the path that a client chose. `null`: there is none. */
      readonly route: string | null
      readonly scheme: 'http' | 'https'
      /** What the answer has as `x-request-id`. */
      readonly requestId?: string | undefined
    },
    answer: () => Promise<Reply>,
  ) => Promise<Reply>
  /** Executes an operation within its span, and records how long that took. */
  readonly traceExecution: <Result>(
    operation: {
      readonly type: 'query' | 'mutation' | 'subscription'
      /** As the client has written it, or the trusted document. `null`: it has none. */
      readonly name: string | null
      /** Its document is one of those that the service knows, so that its names are few. */
      readonly isTrusted: boolean
    },
    execute: () => Promise<Result> | Result,
  ) => Promise<Result> | Result
  /** Records what the hash of a password cost. Other measurements are recorded by their spans. */
  readonly onMeasurement: (measurement: Measurement) => void
  /** Counts a decision by its type and, where it has one, its reason. */
  readonly onEvent: (event: LatchkeyEvent) => void
}
