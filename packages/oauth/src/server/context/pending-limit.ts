import { deriveSecrets, type SecretKeys } from '@latchkey/bytes'
import { createRateLimit, type RateLimit } from '@latchkey/rate-limit'
import { createMemoryCounterStore } from '@latchkey/store'

/** More than honest browsers and devices behind an address need, and few enough to store. */
const limit = 300

/** Creates the default limit, which counts in this process only. */
export function createPendingLimit(secrets: SecretKeys, now: () => number): RateLimit {
  const counters = createMemoryCounterStore({ now })
  const ofPurpose = deriveSecrets(secrets, 'oauth/pending-limit')
  return createRateLimit({ counters, secrets: ofPurpose, now, name: 'oauth-pending', limit, windowSeconds: 60 })
}
