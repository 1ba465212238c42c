import type { allowNativeDelivery } from '@latchkey/accounts'
import type { IdentityCacheOptions } from '../../identity-cache/identity-cache.ts'
import type { Inline } from '../inline.ts'
import type { AccessTokenOptions } from './access-tokens.ts'
import type { CookieOptions } from './service-cookies.ts'

/** Lifetimes of sessions and tokens, and their cookies. */
export interface SessionsOptions {
  /**
   * The longest lifetime of a session and its cookie, in seconds, however much it is used.
   * @default 28800 (8 hours)
   */
  readonly lifetimeSeconds?: number
  /**
   * The longest time without use after which a session expires, in seconds.
   * @default 3600, or `lifetimeSeconds` if that is less
   */
  readonly idleSeconds?: number
  /** The lifetimes of refresh tokens, in seconds. */
  readonly refresh?: {
    /**
     * The time in which a refresh token and its cookie must be used.
     * @default 2592000 (30 days)
     */
    readonly tokenSeconds?: number
    /**
     * The longest lifetime of all refresh tokens of one sign-in.
     * @default 7776000 (90 days)
     */
    readonly familySeconds?: number
    /**
     * The time in which a used refresh token returns the same successor again, at most 60; 0 turns this off.
     * @default 10
     */
    readonly graceSeconds?: number
    /**
     * The time in which it returns the same successor again to the request that used it, by its `attempt`, until the successor is
     * used, at most 604800; 0 turns this off.
     * @default 86400 (1 day)
     */
    readonly retrySeconds?: number
  }
  /** The signatures, claims and lifetime of access tokens. */
  readonly accessTokens?: Inline<AccessTokenOptions>
  /** The names and attributes of the session cookie and the refresh cookie. */
  readonly cookie?: Inline<CookieOptions>
  /**
   * Caches sessions and their accounts for a stated time, and pushes revocations to every process. Omitted: each request reads
   * both, so a revocation applies to the next request in every process.
   */
  readonly cache?: Inline<IdentityCacheOptions>
  /** `allowNativeDelivery` returns both tokens in the body to applications outside browsers. Omitted: such requests are rejected. */
  readonly nativeDelivery?: typeof allowNativeDelivery
}
