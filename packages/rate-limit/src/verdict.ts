/** What a limit allows. */
export interface RateLimitPolicy {
  readonly name: string
  /** How many attempts. */
  readonly limit: number
  /** In how many seconds, before any delay has grown. */
  readonly windowSeconds: number
}

/** The verdict on an attempt before it is made. */
export type RateLimitVerdict =
  /** The attempt may be made, and counts from now on. */
  | {
      readonly ok: true
      /**
       * Takes the attempt out of the count: it succeeded, or was not judged. Failures of others stay counted. At the end of
       * the window, when it would only disturb the next one, nothing is written, and nothing a second time.
       */
      giveBack(): Promise<void>
      /** Counts a failure: if delays grow, as many failures as the limit make the next window longer. */
      fail(): Promise<void>
    }
  /** The attempt must not be made. It counts nowhere and extends nothing. */
  | {
      readonly ok: false
      /** The limit that was exceeded. */
      readonly policy: RateLimitPolicy
      /** Seconds until the next attempt may be made, at least 1: for `Retry-After`. */
      readonly retryAfterSeconds: number
    }
