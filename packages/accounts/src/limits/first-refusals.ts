import { encodeBase64url, hmacSha256, type SecretKeys } from '@latchkey/bytes'
import { consumeAll, type RateLimitVerdict } from '@latchkey/rate-limit'
import type { CounterStore } from '@latchkey/store'

export interface RefusalsOptions {
  readonly counters: CounterStore
  /** The first secret makes the keys of the counters. */
  readonly secrets: SecretKeys
}

/** Limits, and their refusals. */
export interface Refusals {
  take(limits: Parameters<typeof consumeAll>[0]): Promise<RateLimitVerdict>
  /** Whether it is the first refusal by its limit and key until that allows the next attempt. */
  isFirst(refused: Extract<RateLimitVerdict, { ok: false }>): Promise<boolean>
}

export function createRefusals({ counters, secrets: [{ bytes }] }: RefusalsOptions): Refusals {
  const keys = new WeakMap<Extract<RateLimitVerdict, { ok: false }>, string>()
  return {
    async take(limits) {
      const verdict = await consumeAll(limits)
      if (verdict.ok) return verdict
      const [, ...key] = limits.find(([{ policy }]) => policy === verdict.policy) ?? []
      keys.set(verdict, JSON.stringify([verdict.policy.name, ...key]))
      return verdict
    },
    async isFirst(refused) {
      const key = encodeBase64url(hmacSha256(bytes, `refused:${keys.get(refused) ?? refused.policy.name}`))
      const { count } = await counters.hit(`refused:${key}`, refused.retryAfterSeconds * 1000)
      return count === 1
    },
  }
}
