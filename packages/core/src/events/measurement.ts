/** A duration with labels, for counters and histograms, for example of OpenTelemetry. */
export interface Measurement {
  /** The measured operation and its outcome, in the form of the `type` of events: `noun.verb`. */
  readonly type: `${string}.${string}`
  /** How long it took in milliseconds, by a monotonic clock. */
  readonly durationMs: number
}
