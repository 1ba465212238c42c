import type { RateLimitVerdict } from './verdict.ts'

/**
 * Returns the headers of a 429 response: `Retry-After` (RFC 9110 §10.2.3), and `RateLimit-Policy` and `RateLimit` as in
 * draft-ietf-httpapi-ratelimit-headers-10. They name the exceeded limit, and not the key that it counts by.
 *
 * @example
 * import { toRateLimitHeaders } from '@latchkey/rate-limit'
 * const policy = { name: 'sign-in', limit: 5, windowSeconds: 900 }
 * toRateLimitHeaders({ ok: false, policy, retryAfterSeconds: 840 })
 * // { 'retry-after': '840', 'ratelimit-policy': '"sign-in";q=5;w=900', ratelimit: '"sign-in";r=0;t=840' }
 */
export function toRateLimitHeaders({ policy, retryAfterSeconds }: Extract<RateLimitVerdict, { ok: false }>): {
  readonly 'retry-after': string
  readonly 'ratelimit-policy': string
  readonly ratelimit: string
} {
  const { name, limit, windowSeconds } = policy
  return {
    'retry-after': `${retryAfterSeconds}`,
    'ratelimit-policy': `"${name}";q=${limit};w=${windowSeconds}`,
    ratelimit: `"${name}";r=0;t=${retryAfterSeconds}`,
  }
}
