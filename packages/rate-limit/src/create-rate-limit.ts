import { encodeBase64url, hmacSha256, type SecretKeys } from '@latchkey/bytes'
import { checkSecrets } from '@latchkey/bytes/internal'
import { checkOptionNames, wallClock } from '@latchkey/core/internal'
import type { CounterStore } from '@latchkey/store'
import { checkPolicy, checkSeconds } from './check-policy.ts'
import type { RateLimitPolicy, RateLimitVerdict } from './verdict.ts'

/** The option by which a limit accepts counters that may count too few of several attempts at once. */
export const allowEventualCounters: unique symbol = Symbol('allowEventualCounters')

/** A number of attempts per key within a window. */
export interface RateLimit {
  readonly policy: RateLimitPolicy
  /**
   * Counts an attempt in one atomic step, and returns whether it may be made. Call it before the secret is tested, so
   * the limit holds for simultaneous attempts too. Rejects if the store fails: make no attempt then.
   *
   * @param key the facts to count by, for example an account and the key of an address. Its parts are kept apart.
   */
  take(...key: readonly [string, ...string[]]): Promise<RateLimitVerdict>
  /**
   * Returns whether an attempt could be made, without counting it. Use it for secrets that are too long to be guessed,
   * and count failures only, by `take`. Simultaneous attempts see the same count, so more than the limit may be tested:
   * for a secret that can be guessed, call `take` before the test.
   */
  check(
    ...key: readonly [string, ...string[]]
  ): Promise<{ readonly ok: true } | Extract<RateLimitVerdict, { ok: false }>>
}

/**
 * No attempt is given back this close to the end of a window, because a late step could lower the count of the next
 * window. Stores give up earlier.
 */
const guardMs = 1000

/**
 * Creates a limit on attempts. The first attempt opens a window, later attempts do not extend it, and attempts above
 * the limit are refused without being counted.
 *
 * @throws TypeError if an option is unknown, missing or not valid, or if the counters are `eventual`.
 * @example
 * import { randomBytes } from '@latchkey/bytes'
 * import { createRateLimit } from '@latchkey/rate-limit'
 * import { createMemoryCounterStore } from '@latchkey/store'
 * const limit = createRateLimit({
 *   counters: createMemoryCounterStore(),
 *   secrets: [{ id: '2026-01', bytes: randomBytes(32) }],
 *   name: 'sign-in',
 *   limit: 5,
 *   windowSeconds: 900,
 *   longestSeconds: 3600,
 * })
 * const verdict = await limit.take('ada@example.com', '203.0.113.7')
 */
export function createRateLimit(
  options: RateLimitPolicy & {
    /** Where attempts are counted: shared by all processes of a service, or each of them allows the whole limit. */
    readonly counters: CounterStore
    /** The first secret derives the keys of the counters, so that no store holds an address or a name as plain text. */
    readonly secrets: SecretKeys
    /**
     * Makes delays grow: after a window in which as many attempts failed as the limit allows, the next window is twice as
     * long, up to this. It is at least `windowSeconds`.
     * @default `windowSeconds`, so that they do not grow
     */
    readonly longestSeconds?: number
    /**
     * How long after the first full window it is remembered how far the delay has grown.
     * @default 86_400 (a day)
     */
    readonly memorySeconds?: number
    /**
     * The clock of the counters, epoch milliseconds.
     * @default Date.now
     */
    readonly now?: () => number
    /** `true` accepts `eventual` counters: several simultaneous attempts may then exceed the limit. */
    readonly [allowEventualCounters]?: true
  },
): RateLimit {
  const { counters, key: keyOf, policy, longestMs, memoryMs, now } = readOptions(options)
  const { limit } = policy
  const windowMs = policy.windowSeconds * 1000

  /** The window that an attempt opens when none is open: twice as long for each full one before. */
  async function windowOf(levelKey: string): Promise<number> {
    if (longestMs === windowMs) return windowMs
    const { count } = await counters.hit(levelKey, memoryMs, 0)
    return Math.min(windowMs * 2 ** count, longestMs)
  }

  /** Failures are counted by the window of their attempts, in which they may come late. */
  async function countFailure({ key, lengthMs, resetAt }: Window): Promise<void> {
    if (longestMs === windowMs) return
    const { count } = await counters.hit(`${key}:failed:${resetAt}`, lengthMs)
    // Exactly one failure of a window is the last one.
    if (count === limit) await counters.hit(levelKeyOf(key), memoryMs)
  }

  function createGiveBack({ key, lengthMs, resetAt }: Window): () => Promise<void> {
    let isGivenBack = false
    return async () => {
      if (isGivenBack || resetAt - now() <= guardMs) return
      isGivenBack = true
      await counters.hit(key, lengthMs, -1)
    }
  }

  const refuse = ({ lengthMs, resetAt }: Window): Extract<RateLimitVerdict, { ok: false }> => {
    const seconds = Math.ceil((resetAt - now()) / 1000)
    return { ok: false, policy, retryAfterSeconds: Math.min(Math.max(seconds, 1), Math.ceil(lengthMs / 1000)) }
  }

  return {
    policy,
    async take(...parts) {
      const key = keyOf(parts)
      const lengthMs = await windowOf(levelKeyOf(key))
      const { count, resetAt } = await counters.hit(key, lengthMs)
      const window = { key, lengthMs, resetAt }
      const giveBack = createGiveBack(window)
      if (count <= limit) return { ok: true, giveBack, fail: () => countFailure(window) }
      await giveBack()
      return refuse(window)
    },
    async check(...parts) {
      const key = keyOf(parts)
      const { count, resetAt } = await counters.hit(key, windowMs, 0)
      return count < limit ? { ok: true } : refuse({ key, lengthMs: longestMs, resetAt })
    },
  }
}

/** In which an attempt was counted. */
interface Window {
  readonly key: string
  readonly lengthMs: number
  /** Epoch milliseconds. */
  readonly resetAt: number
}

/** Returns the key of the counter of full windows. */
function levelKeyOf(key: string): string {
  return `${key}:full`
}

function readOptions(options: Parameters<typeof createRateLimit>[0]) {
  const { counters, now = wallClock } = checkOptionNames('createRateLimit', options, {
    counters: true,
    secrets: true,
    name: true,
    limit: true,
    windowSeconds: true,
    longestSeconds: true,
    memorySeconds: true,
    now: true,
    [allowEventualCounters]: true,
  })
  const { name, limit, windowSeconds } = options
  const policy = checkPolicy({ name, limit, windowSeconds })
  const { longestSeconds = windowSeconds, memorySeconds = 86_400 } = options
  checkSeconds('longestSeconds', longestSeconds, windowSeconds)
  checkSeconds('memorySeconds', memorySeconds, 1)
  if (typeof counters?.hit !== 'function') throw new TypeError('"counters" must be a CounterStore')
  if (counters.capabilities.consistency !== 'strong' && options[allowEventualCounters] !== true) {
    throw new TypeError('"counters" must be strong: eventual ones let several attempts at once exceed the limit')
  }
  const [{ bytes }] = checkSecrets(options.secrets)
  const key = (parts: readonly string[]): string =>
    `limit:${name}:${encodeBase64url(hmacSha256(bytes, JSON.stringify([name, ...parts])))}`
  return { counters, key, policy, longestMs: longestSeconds * 1000, memoryMs: memorySeconds * 1000, now }
}
