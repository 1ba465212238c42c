/** How much may be open at once, and for how long one waits. */
export interface StreamLimits {
  /** Streams and sockets in all. Default 5000 of each; what goes beyond is `SERVICE_UNAVAILABLE`. */
  readonly streams: number
  /** Streams of one account, and of one address where nobody is signed in. Default 50; beyond: `RATE_LIMITED`. */
  readonly streamsPerClient: number
  /** Sockets of one address. Default 100; beyond: `RATE_LIMITED`. */
  readonly socketsPerAddress: number
  /** Streams of one socket. Default 20; beyond: `RATE_LIMITED`. */
  readonly streamsPerSocket: number
  /**
   * How old the knowledge of an identity becomes before it is asked for again, 100 to 2000. Default 2000. Without an
   * answer for twice as long the streams end.
   */
  readonly recheckMs: number
  /** How long a source, a resolver or a reader may take for one event. Default 10000. */
  readonly eventMs: number
  /** How long a socket has to send `connection_init`. Default 3000. */
  readonly initMs: number
  /** How often a silent connection is written to; a socket that does not answer one is gone. Default 12000. */
  readonly pingMs: number
  /** The most bytes of one message of a socket, and of a body. Default 100000. */
  readonly messageBytes: number
  /** How much may wait to be read by a socket before it is given up. Default 1000000. */
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
  unreadBytes: 1_000_000,
}

/** More would break the promise that a stream ends within five seconds. */
const recheckAtMostMs = 2_000

/** @throws TypeError naming the limit that cannot be used. */
export function readStreamLimits(given: Partial<StreamLimits> = {}): StreamLimits {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(defaults, name))
  if (unknown !== undefined) throw new TypeError(`"limits.${unknown}" is not a limit`)
  const limits = { ...defaults, ...given }
  for (const [name, limit] of Object.entries(limits)) {
    if (!Number.isInteger(limit) || limit < 1) throw new TypeError(`"limits.${name}" must be a whole number from 1`)
  }
  if (limits.recheckMs < 100 || limits.recheckMs > recheckAtMostMs) {
    throw new TypeError(`"limits.recheckMs" must be from 100 to ${recheckAtMostMs}`)
  }
  return limits
}
