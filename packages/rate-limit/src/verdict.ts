/** The number of attempts that a limit allows in a window. */
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
       * Takes the attempt out of the count, if it succeeded or was not tested. Failed attempts stay counted. The first
       * call writes, unless the window is about to expire; later calls do not.
       */
      giveBack(): Promise<void>
      /** Counts a failure: if delays grow, as many failures as the limit make the next window longer. */
      fail(): Promise<void>
    }
  /** The attempt must not be made. It is not counted and extends no window. */
  | {
      readonly ok: false
      /** The limit that was exceeded. */
      readonly policy: RateLimitPolicy
      /** Seconds until the next attempt may be made, at least 1: for `Retry-After`. */
      readonly retryAfterSeconds: number
    }
