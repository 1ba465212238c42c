/** Where a secret that is tested comes from: what limits on guessing count by. It holds no secret itself. */
export interface Attempt {
  /** The key of the client's address: an IPv4 address, or the /64 network of an IPv6 one. `null`: not known. */
  readonly address: string | null
  /**
   * The id of the device that has signed in to the account before. `null`: an unknown one, or one that is known for other
   * accounts only.
   */
  readonly device: string | null
  /**
   * How it was sent: by a script of a page, by an application outside browsers, by a form of this service, or by who
   * operates the service.
   */
  readonly channel: 'cookie' | 'native' | 'page' | 'command'
  /** The id of the request, as its answer has it in `x-request-id`. `null`: it came with none. */
  readonly requestId: string | null
  /** What the client calls itself. It is audited, and in no event. Omitted: not known. */
  readonly userAgent?: string | null
  /** The language that the client asks for, as a tag of BCP 47: that of the mails. It is in no event. Omitted: not known. */
  readonly locale?: string | null
  /** The administrator who acts as the account. Omitted: its owner, or no one is signed in. */
  readonly impersonatorId?: string
}

/**
 * Where a use case is called from. Which device it is depends on the account, so the caller passes the token and the use
 * case finds the id.
 */
export interface PresentedAttempt extends Omit<Attempt, 'device'> {
  /** What the device got from an earlier sign-in, of any account. `null`: it showed none. */
  readonly deviceToken: string | null
}

/**
 * The attempt of a caller that knows nothing of it, such as a script. Limits count all of these as strangers at one unknown
 * address: passed for real users, it lets one of them lock the others out, and no event says where it came from.
 */
export const unknownAttempt: PresentedAttempt = Object.freeze({
  address: null,
  deviceToken: null,
  channel: 'native',
  requestId: null,
})

/**
 * Returns an input that says where it comes from.
 *
 * @throws TypeError when `attempt` is omitted.
 */
export function checkAttempt<Input extends { readonly attempt: PresentedAttempt }>(input: Input): Input {
  if (typeof input.attempt === 'object' && input.attempt !== null) return input
  throw new TypeError('"attempt" is required: what the request shows, or unknownAttempt')
}
