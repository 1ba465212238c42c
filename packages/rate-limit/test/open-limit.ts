import type { SecretKeys } from '@latchkey/bytes'
import { createRateLimit, type RateLimitVerdict } from '@latchkey/rate-limit'
import { type CounterStore, createMemoryCounterStore } from '@latchkey/store'

export const secrets: SecretKeys = [{ id: '2026-11', bytes: new Uint8Array(32).fill(9) }]

/** Counters in memory whose keys and hits are seen, on a clock that stands until it is advanced. */
export function openLimit(options: Partial<Parameters<typeof createRateLimit>[0]> = {}) {
  let time = 1_800_000_000_000
  const now = () => time
  const memory = options.counters ?? createMemoryCounterStore({ now })
  const hits: { readonly key: string; readonly by: number }[] = []
  const counters: CounterStore = {
    ...memory,
    hit: (key, windowMs, by = 1) => {
      hits.push({ key, by })
      return memory.hit(key, windowMs, by)
    },
  }
  const limit = createRateLimit({ name: 'sign-in', limit: 3, windowSeconds: 60, secrets, now, ...options, counters })
  return {
    limit,
    counters,
    hits,
    now,
    advance: (seconds: number) => {
      time += seconds * 1000
    },
  }
}

export function permitted(verdict: RateLimitVerdict): Extract<RateLimitVerdict, { ok: true }> {
  if (verdict.ok) return verdict
  throw new Error(`throttled by ${verdict.policy.name} for ${verdict.retryAfterSeconds} s`)
}

/** Takes places and fails as often as that. */
export async function failOften(times: number, take: () => Promise<RateLimitVerdict>): Promise<void> {
  for (let failed = 0; failed < times; failed++) await permitted(await take()).fail()
}
