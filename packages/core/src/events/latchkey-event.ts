/**
 * A decision of any package. `type` is the subject and the outcome, `noun.verb`; the details of a type are further
 * members. No event holds a secret, a token, a code, a password, a hash or an e-mail address, so it can be written to a
 * log as JSON.
 */
export interface LatchkeyEvent {
  readonly type: `${string}.${string}`
  /** When it was decided, in epoch milliseconds, by the clock of the service. */
  readonly at: number
  /** The id of the account. */
  readonly accountId: string | null
  /** The public key of the session or refresh family; it is no credential. */
  readonly sessionKey: string | null
  /**
   * The name that attempts of the client's address are counted by: an IPv4 address, or the /64 network of an IPv6
   * address.
   */
  readonly address: string | null
  /** The id of the recognized device; `null` for a new device. */
  readonly device: string | null
  /** The id of the request, which is the header `x-request-id` of its answer. */
  readonly requestId: string | null
  /** The duration of the decision in milliseconds, by a monotonic clock; `null` if it was not measured. */
  readonly durationMs: number | null
  /** The administrator who acted as the account `accountId`. Omitted: none did. */
  readonly impersonatorId?: string
}

/** The members of every event except its type and its impersonator. */
export type EventFacts = Omit<LatchkeyEvent, 'type' | 'impersonatorId'>

/** The members that every event of a failure adds. */
export interface FailureFacts {
  /** The code or the name of the thrown value, never its message, which may hold a secret. */
  readonly failure: string
  /**
   * The thrown value, with its stack. It is not enumerable, because an error may hold queries, parameters and
   * addresses: `JSON.stringify`, a spread and `console.log` of the event omit it.
   */
  readonly cause: unknown
}
