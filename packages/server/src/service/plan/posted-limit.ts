import { randomBytes } from '@latchkey/bytes'
import { createRateLimit, type RateLimit } from '@latchkey/rate-limit'
import { createMemoryCounterStore } from '@latchkey/store'

/** More users than come back from a provider behind one address, and few enough answers to be kept for a minute each. */
const limit = 300

/** Creates the limit on what is kept of strangers for an address, of a process by itself. */
export function createPostedLimit(now: () => number): RateLimit {
  const counters = createMemoryCounterStore({ now })
  const secrets = [{ id: 'process', bytes: randomBytes(32) }] as const
  return createRateLimit({ counters, secrets, now, name: 'provider-posts', limit, windowSeconds: 60 })
}
