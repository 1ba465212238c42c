/**
 * The origin of a request, for limits and for the audit. The device depends on the account, so the caller passes the token and
 * the use case finds the id.
 */
export interface Attempt {
  /** The key of the client's address: an IPv4 address, or the /64 network of an IPv6 one. `null`: not known. */
  readonly address: string | null
  /** The token that the device got from an earlier sign-in, of any account. `null`: it presented none. */
  readonly deviceToken: string | null
  /** The sender: a script of a page, an application outside browsers, a form of this service, or its operator. */
  readonly channel: 'cookie' | 'native' | 'page' | 'command'
  /** The id of the request, as `x-request-id` of its response. `null`: it came with none. */
  readonly requestId: string | null
  /** The name of the client. It is audited, and in no event. Omitted: not known. */
  readonly userAgent?: string | null
  /**
   * The language that the client requests, as a BCP 47 tag. Mails are written in it; events omit it. Omitted: not
   * known.
   */
  readonly locale?: string | null
  /** The id of the administrator who acts as the account. Omitted: the owner acts, or the request is not signed in. */
  readonly impersonatorId?: string
}

/** An attempt whose device was looked up for the account. It holds no secret. */
export interface JudgedAttempt extends Omit<Attempt, 'deviceToken'> {
  /**
   * The id of a device that has signed in to this account before. `null`: the device is unknown, or known to other
   * accounts only.
   */
  readonly device: string | null
}

/**
 * The attempt of a caller without a request, such as a script. Do not pass it for real users: limits count all of them
 * as one unknown address, so one user can lock out the others, and events name no origin.
 */
export const unknownAttempt: Attempt = Object.freeze({
  address: null,
  deviceToken: null,
  channel: 'native',
  requestId: null,
})

/**
 * Returns the input if it has an `attempt`.
 *
 * @throws TypeError if `attempt` is omitted.
 */
export function checkAttempt<Input extends { readonly attempt: Attempt }>(input: Input): Input {
  if (typeof input.attempt === 'object' && input.attempt !== null) return input
  throw new TypeError('"attempt" is required: what the request shows, or unknownAttempt')
}
