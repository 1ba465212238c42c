import { randomBytes } from '@latchkey/bytes'
import { createRateLimit, type RateLimit } from '@latchkey/rate-limit'
import { createMemoryCounterStore } from '@latchkey/store'

/** More users than come back from a provider behind one address, and few enough answers to be kept for a minute each. */
const limit = 300

/**
 * Returns what returns the limit on what is kept of strangers for an address, of a process by itself. Its secret is drawn by the
 * first request: Workers draw none while they start.
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
