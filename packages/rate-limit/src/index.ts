export { consumeAll, type KeyedLimit } from './consume-all.ts'
export { allowEventualCounters, createRateLimit, type RateLimit, type RateLimitOptions } from './create-rate-limit.ts'
export { toRateLimitHeaders } from './rate-limit-headers.ts'
export type { Checked, Permitted, RateLimitPolicy, Throttled, Verdict } from './verdict.ts'
