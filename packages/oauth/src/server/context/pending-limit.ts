import { deriveSecrets, type SecretKeys } from '@latchkey/bytes'
import { createRateLimit, type RateLimit } from '@latchkey/rate-limit'
import { createMemoryCounterStore } from '@latchkey/store'

/** More than honest browsers and devices behind one address need, and few enough to be stored. */
const limit = 300

/** Creates the limit of a process by itself. */
export function createPendingLimit(secrets: SecretKeys, now: () => number): RateLimit {
  const counters = createMemoryCounterStore({ now })
  const ofPurpose = deriveSecrets(secrets, 'oauth/pending-limit')
  return createRateLimit({ counters, secrets: ofPurpose, now, name: 'oauth-pending', limit, windowSeconds: 60 })
}
