/** What a limit allows. */
export interface RateLimitPolicy {
  readonly name: string
  /** How many attempts. */
  readonly limit: number
  /** In how many seconds, before any delay has grown. */
  readonly windowSeconds: number
}

/** The attempt may be made, and counts from now on. */
export interface Permitted {
  readonly ok: true
  /**
   * Takes the attempt out of the count: it succeeded, or was not judged. What others have failed stays counted. At the end
   * of the window, when it would only disturb the next one, nothing is written, and nothing a second time.
   */
  giveBack(): Promise<void>
  /** Counts that it failed: where delays grow, as many failures as the limit make the next window longer. */
  fail(): Promise<void>
}

/** The attempt must not be made. It counts nowhere and extends nothing. */
export interface Throttled {
  readonly ok: false
  /** The limit that was exceeded. */
  readonly policy: RateLimitPolicy
  /** After how many seconds the next attempt may be made, at least 1: for `Retry-After`. */
  readonly retryAfterSeconds: number
}

/** The verdict on an attempt before it is made. */
export type Verdict = Permitted | Throttled

/** Whether an attempt could be made. It was not counted. */
export type Checked = { readonly ok: true } | Throttled
