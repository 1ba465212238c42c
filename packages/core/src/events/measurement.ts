/** What something cost: for counters and histograms, such as those of OpenTelemetry. */
export interface Measurement {
  /** What was measured and what became of it, as the `type` of events: `noun.verb`. */
  readonly type: `${string}.${string}`
  /** How long it took in milliseconds, by a monotonic clock. */
  readonly durationMs: number
}
