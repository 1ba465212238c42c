/**
 * A decision of any package. `type` is what it is about and what happened, `noun.verb`; the details of a type stand beside
 * these members. No event holds a secret, a token, a code, a password, a hash or an e-mail address, so it can be written to
 * a log as JSON.
 */
export interface LatchkeyEvent {
  readonly type: `${string}.${string}`
  /** When it was decided, in epoch milliseconds, by the clock of the service. */
  readonly at: number
  /** Whose account it is about. */
  readonly accountId: string | null
  /** The public key of the session or refresh family; it is no credential. */
  readonly sessionKey: string | null
  /** What attempts of the client's address are counted by: an IPv4 address, or the /64 network of an IPv6 one. */
  readonly address: string | null
  /** The id of the device that the request has shown to be known; a new device has none. */
  readonly device: string | null
  /** The id of the request, which is the header `x-request-id` of its answer. */
  readonly requestId: string | null
  /** How long the decision took in milliseconds, by a monotonic clock; `null` where it takes no time to speak of. */
  readonly durationMs: number | null
  /** The administrator who acted as the account `accountId`. Omitted: none did. */
  readonly impersonatorId?: string
}

/** What every event says. */
export type EventFacts = Omit<LatchkeyEvent, 'type' | 'impersonatorId'>

/** What the event of a failure says besides. */
export interface FailureFacts {
  /** The code or the name of what was thrown: its message may hold what an event must not. */
  readonly failure: string
  /**
   * What was thrown, with its stack. Not enumerable: an error may hold queries, parameters and addresses, so neither
   * `JSON.stringify` nor a spread nor `console.log` of the event shows it, and a log gets it only by name.
   */
  readonly cause: unknown
}
