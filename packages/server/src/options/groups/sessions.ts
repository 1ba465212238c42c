import type { allowNativeDelivery } from '@latchkey/accounts'
import type { IdentityCacheOptions } from '../../identity-cache/identity-cache.ts'
import type { AccessTokenOptions } from '../../settings/access-tokens.ts'
import type { CookieOptions } from '../../settings/service-cookies.ts'

/** Lifetimes of sessions and tokens, and their cookies. */
export interface SessionsOptions {
  /**
   * A session altogether, however much it is used, and its cookie, in seconds.
   * @default 28800 (8 hours)
   */
  readonly lifetimeSeconds?: number
  /**
   * A session without use, in seconds.
   * @default 3600, or `lifetimeSeconds` if that is less
   */
  readonly idleSeconds?: number
  /** How long refresh tokens are valid. */
  readonly refresh?: {
    /**
     * A refresh token until it is used, and its cookie.
     * @default 2592000 (30 days)
     */
    readonly tokenSeconds?: number
    /**
     * All refresh tokens of one sign-in together.
     * @default 7776000 (90 days)
     */
    readonly familySeconds?: number
    /**
     * How long the refresh token before the newest gets the same successor again, at most 60. 0: never.
     * @default 10
     */
    readonly graceSeconds?: number
  }
  /** How access tokens are signed, and how other services can verify them by themselves. */
  readonly accessTokens?: AccessTokenOptions
  /** How the session cookie and the refresh cookie are named and written. */
  readonly cookie?: CookieOptions
  /**
   * Lets requests use what was read of a session and its account for a stated time, with revocations pushed to every
   * process. Omitted: each request reads it, and what was ended is refused from the next request on, in every process.
   */
  readonly cache?: IdentityCacheOptions
  /** `allowNativeDelivery` lets applications outside browsers get both tokens in the body. Omitted: refused. */
  readonly nativeDelivery?: typeof allowNativeDelivery
}
