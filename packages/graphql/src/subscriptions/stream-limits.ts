import { checkOptionNames } from '@latchkey/core/internal'

/** The limits on open streams and sockets, and the waiting times. */
export interface StreamLimits {
  /**
   * The most streams in total, and the most sockets. Beyond: `SERVICE_UNAVAILABLE`.
   *
   * @default 5000
   */
  readonly streams: number
  /**
   * The most streams of one account, or of one address without an account. Beyond: `RATE_LIMITED`.
   *
   * @default 50
   */
  readonly streamsPerClient: number
  /**
   * The most sockets of one address. Beyond: `RATE_LIMITED`.
   *
   * @default 100
   */
  readonly socketsPerAddress: number
  /**
   * The most streams of one socket. Beyond: `RATE_LIMITED`.
   *
   * @default 20
   */
  readonly streamsPerSocket: number
  /**
   * The time between two checks of an identity, in milliseconds, from 100 to 2000. Streams stop if no check succeeds
   * for twice as long.
   *
   * @default 2000
   */
  readonly recheckMs: number
  /**
   * The most milliseconds of a source, a resolver or a reader for an event.
   *
   * @default 10000
   */
  readonly eventMs: number
  /**
   * The most milliseconds until a socket sends `connection_init`.
   *
   * @default 3000
   */
  readonly initMs: number
  /**
   * The interval of pings to sockets and of comments on silent event streams, in milliseconds. A socket that has not
   * answered a ping by the next is terminated.
   *
   * @default 12000
   */
  readonly pingMs: number
  /**
   * The most bytes of one message of a socket, and of a request body.
   *
   * @default 100000
   */
  readonly messageBytes: number
  /**
   * The most bytes of one event. A larger event is replaced by `RESPONSE_TOO_LARGE`, and the stream continues.
   *
   * @default 1000000
   */
  readonly eventBytes: number
  /**
   * The most bytes that may wait for a socket to read them. Beyond, the socket is terminated.
   *
   * @default 1000000
   */
  readonly unreadBytes: number
}

const defaults: StreamLimits = {
  streams: 5_000,
  streamsPerClient: 50,
  socketsPerAddress: 100,
  streamsPerSocket: 20,
  recheckMs: 2_000,
  eventMs: 10_000,
  initMs: 3_000,
  pingMs: 12_000,
  messageBytes: 100_000,
  eventBytes: 1_000_000,
  unreadBytes: 1_000_000,
}

const names: { readonly [Name in keyof StreamLimits]: true } = {
  streams: true,
  streamsPerClient: true,
  socketsPerAddress: true,
  streamsPerSocket: true,
  recheckMs: true,
  eventMs: true,
  initMs: true,
  pingMs: true,
  messageBytes: true,
  eventBytes: true,
  unreadBytes: true,
}

/** Slower checks would break the guarantee that streams stop within five seconds. */
const longestRecheckMs = 2_000

/** @throws TypeError naming the limit that is not valid. */
export function readStreamLimits(given: Partial<StreamLimits> = {}): StreamLimits {
  const limits = { ...defaults, ...checkOptionNames('"limits"', given, names) }
  for (const [name, limit] of Object.entries(limits)) {
    if (!Number.isInteger(limit) || limit < 1) throw new TypeError(`"limits.${name}" must be a whole number from 1`)
  }
  if (limits.recheckMs < 100 || limits.recheckMs > longestRecheckMs) {
    throw new TypeError(`"limits.recheckMs" must be from 100 to ${longestRecheckMs}`)
  }
  return limits
}
