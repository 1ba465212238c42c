import type { RateLimit } from './create-rate-limit.ts'
import type { RateLimitVerdict } from './verdict.ts'

/**
 * Counts one attempt in several limits, and returns whether all of them allow it. The first limit counts alone. If it
 * refuses, no other limit counts the attempt; otherwise the others count concurrently. If one of them refuses or its
 * store fails, the attempt is given back to the limits that counted it before the promise settles, so a retry does not
 * count twice.
 *
 * @throws StoreError if a store fails: within two deadlines of a store that falls silent after the first limit.
 * @example
 * import { randomBytes } from '@latchkey/bytes'
 * import { createRateLimit, consumeAll } from '@latchkey/rate-limit'
 * import { createMemoryCounterStore } from '@latchkey/store'
 * const parts = {
 *   counters: createMemoryCounterStore(),
 *   secrets: [{ id: '2026-01', bytes: randomBytes(32) }],
 * } as const
 * const byAddress = createRateLimit({ ...parts, name: 'address', limit: 30, windowSeconds: 60 })
 * const byAccount = createRateLimit({ ...parts, name: 'account', limit: 5, windowSeconds: 900 })
 * const verdict = await consumeAll([
 *   [byAddress, '203.0.113.7'],
 *   [byAccount, 'ada@example.com', '203.0.113.7'],
 * ])
 * if (!verdict.ok) console.log(`again in ${verdict.retryAfterSeconds} s`)
 */
export async function consumeAll(
  limits: readonly (readonly [limit: RateLimit, ...key: readonly [string, ...string[]]])[],
): Promise<RateLimitVerdict> {
  const taken: Permitted[] = []
  const giveAllBack = () => settleEach(taken, (each) => each.giveBack())
  for (const some of [limits.slice(0, 1), limits.slice(1)]) {
    const results = await Promise.allSettled(some.map(([limit, ...key]) => limit.take(...key)))
    const verdicts = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    taken.push(...verdicts.filter((verdict) => verdict.ok))
    const failed = results.find((result) => result.status === 'rejected')
    if (failed) {
      await giveAllBack().catch(() => undefined)
      throw failed.reason
    }
    const refused = verdicts.find((verdict) => !verdict.ok)
    if (refused) {
      await giveAllBack()
      return refused
    }
  }
  return { ok: true, giveBack: giveAllBack, fail: () => settleEach(taken, (each) => each.fail()) }
}

type Permitted = Extract<RateLimitVerdict, { ok: true }>

/** Runs all steps to completion, then rejects with the first failure. */
async function settleEach(taken: readonly Permitted[], step: (each: Permitted) => Promise<void>): Promise<void> {
  const results = await Promise.allSettled(taken.map(step))
  const failed = results.find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
}
