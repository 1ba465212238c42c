export { allowEventualCounters, createRateLimit, type RateLimit, type RateLimitOptions } from './create-rate-limit.ts'
export { toRateLimitHeaders } from './rate-limit-headers.ts'
export { type KeyedLimit, takeEach } from './take-each.ts'
export type { Checked, Permitted, RateLimitPolicy, Throttled, Verdict } from './verdict.ts'
