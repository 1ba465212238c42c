export { consumeAll } from './consume-all.ts'
export { allowEventualCounters, createRateLimit, type RateLimit } from './create-rate-limit.ts'
export { toRateLimitHeaders } from './rate-limit-headers.ts'
export type { RateLimitPolicy, RateLimitVerdict } from './verdict.ts'
