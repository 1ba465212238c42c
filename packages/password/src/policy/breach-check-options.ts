import type { LatchkeyEvent } from '@latchkey/core'

/** The service could not be asked. */
export interface BreachCheckEvent extends LatchkeyEvent {
  readonly type: 'breach-check.failed'
  /** Whether the password was accepted nevertheless. */
  readonly accepted: boolean
  /** The thrown value, with its stack; it holds no secret. It is not enumerable: a log must read it by name. */
  readonly cause: unknown
}

export interface BreachCheckOptions {
  /**
   * The verdict if the service does not answer: `accept` the password, or `refuse` it with the reason `unavailable`.
   */
  readonly whenUnavailable: 'accept' | 'refuse'
  /**
   * Called each time the service does not answer. Its errors are ignored.
   * @default prints the cause with `console.error`
   */
  readonly onEvent?: (event: BreachCheckEvent) => void
  /** The runtime's `fetch` by default. */
  readonly fetch?: (
    url: string,
    init: { readonly headers: Readonly<Record<string, string>>; readonly signal: AbortSignal },
  ) => Promise<{ readonly ok: boolean; readonly status: number; text(): Promise<string> }>
  /** The address that prefixes are appended to, for a mirror: Have I Been Pwned by default. */
  readonly url?: string
  /** Milliseconds for one answer: 1000 by default. */
  readonly deadlineMs?: number
  /** Ranges kept in memory, each about 100 kB: 50 by default, 0 for none. */
  readonly cacheLimit?: number
  /** Seconds for which a range is kept: one day by default. */
  readonly cacheSeconds?: number
  /** The clock in milliseconds. */
  readonly now?: () => number
}
