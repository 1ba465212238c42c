import { randomBytes } from '@latchkey/bytes'
import { createRateLimit, type RateLimit } from '@latchkey/rate-limit'
import { createMemoryCounterStore } from '@latchkey/store'

/** More users than come back from a provider behind one address, and few enough answers to be kept for a minute each. */
const limit = 300

/**
 * Returns the limit of kept posts from strangers per address, counted by this process. It is created on first use,
 * because Workers cannot draw random bytes while they start.
 */
export function createPostedLimit(now: () => number): () => RateLimit {
  let created: RateLimit | undefined
  return () => {
    if (created) return created
    const counters = createMemoryCounterStore({ now })
    const secrets = [{ id: 'process', bytes: randomBytes(32) }] as const
    created = createRateLimit({ counters, secrets, now, name: 'provider-posts', limit, windowSeconds: 60 })
    return created
  }
}
