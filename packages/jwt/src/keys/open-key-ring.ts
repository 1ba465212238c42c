import type { SecretKeys } from '@latchkey/bytes'
import { checkOptionNames } from '@latchkey/options'
import { checkAlgorithm, type JwtAlgorithm } from '../algorithm.ts'
import { checkSeconds, checkText } from '../option-checks.ts'
import { maxClockToleranceSeconds } from './expiring-keys.ts'
import { createKeyIds, type KeyIds } from './key-ids.ts'
import { type KeyRing, publish } from './key-ring.ts'
import type { KeySet } from './key-set.ts'
import type { KeyStore } from './key-store.ts'
import { createReloadingKeys, type ReloadingKeys } from './reloading-keys.ts'
import { createRingLoader, type RingKeys } from './ring-loader.ts'
import { createSealedKeys } from './sealed-keys.ts'

export interface OpenKeyRingOptions {
  /** Where the keys lie. */
  readonly keys: KeyStore
  /** Seal the private keys: the first one writes, every one reads. */
  readonly secrets: SecretKeys
  /** What new keys are for. Keys of another algorithm that lie there already go on verifying until the next rotation. */
  readonly algorithm: JwtAlgorithm
  /** What the tokens are for; `access-token` unless told. Each kind of token gets keys of its own. */
  readonly purpose?: string
  /** The longest life of a token that these keys sign; 900 unless told. */
  readonly maxLifetimeSeconds?: number
  /** How soon every process knows of a rotation or a removal by another one; 60 unless told. */
  readonly refreshSeconds?: number
  /** The shortest time between two looks into the store for one retired id; 10 unless told. Invented ids cause none. */
  readonly cooldownSeconds?: number
  /** The time in epoch milliseconds; `Date.now` unless told. */
  readonly now?: () => number
}

const optionNames = {
  keys: true,
  secrets: true,
  algorithm: true,
  purpose: true,
  maxLifetimeSeconds: true,
  refreshSeconds: true,
  cooldownSeconds: true,
  now: true,
} as const

/**
 * Gives the ring of the keys that lie in a store, sealed, and makes those that are missing. Any number of processes may
 * open one at the same time. There is always a next key beside the one that signs: it is published before its turn, so a
 * rotation, which is one atomic call of the store, finds every verifier prepared; of several at once one takes effect.
 *
 * @throws TypeError when an option is missing or out of range.
 * @throws JwtError `JWT_KEY_UNREADABLE`. What the store throws passes through.
 *
 * @example
 * import { randomBytes } from '@latchkey/bytes'
 * import { createMemoryKeyStore, openKeyRing } from '@latchkey/jwt'
 * const secrets = [{ id: '2026-01', bytes: randomBytes(32) }] as const
 * const keys = await openKeyRing({ keys: createMemoryKeyStore(), secrets, algorithm: 'ES256' })
 * await keys.rotate()
 */
export async function openKeyRing(options: OpenKeyRingOptions): Promise<KeyRing> {
  checkOptionNames('openKeyRing', options, optionNames)
  const { keys: store, maxLifetimeSeconds = 900, refreshSeconds = 60, cooldownSeconds = 10, now = Date.now } = options
  const { secrets, algorithm, purpose = 'access-token' } = options
  checkOptions({ ...options, purpose, maxLifetimeSeconds, refreshSeconds, cooldownSeconds })
  const ids = createKeyIds({ secrets, purpose })
  const load = createRingLoader({
    store,
    sealedKeys: createSealedKeys({ secrets, purpose }),
    createId: ids.create,
    algorithm,
    purpose,
    // A process that has not heard of the rotation yet may sign for as long as it does not look.
    retentionMs: (maxLifetimeSeconds + refreshSeconds + maxClockToleranceSeconds) * 1000,
    now,
  })
  const keys = createReloadingKeys({ load, maxAgeMs: refreshSeconds * 1000, now })
  const findReloaded = createReloadingFind({ ids, keys, cooldownMs: cooldownSeconds * 1000, now })
  await keys.current()
  return {
    maxLifetimeSeconds,
    find: async (query) => (await keys.current()).usable().find(query) ?? findReloaded(query),
    signingKey: async () => (await keys.current()).signing,
    jwks: async () => publish((await keys.current()).usable().keys),
    async rotate() {
      const { outgoing, finished } = await keys.reload()
      for (const id of outgoing) await store.retire(id, now())
      for (const id of finished) await store.remove(id)
      return (await keys.reload()).signing
    },
  }
}

interface ReloadingFindOptions {
  readonly ids: KeyIds
  readonly keys: ReloadingKeys<RingKeys>
  readonly cooldownMs: number
  readonly now: () => number
}

/** Gives the function that looks for a key which another process may have made a moment ago. */
function createReloadingFind({ ids, keys, cooldownMs, now }: ReloadingFindOptions): KeySet['find'] {
  const missedAt = new Map<string, number>() // only ids that were made for keys get in here
  return async (query) => {
    if (query.id === null || !ids.isOwn(query.id)) return null
    const at = missedAt.get(query.id)
    if (at !== undefined && Math.abs(now() - at) < cooldownMs) return null
    const key = (await keys.reload()).usable().find(query)
    if (!key) missedAt.set(query.id, now())
    return key
  }
}

function checkOptions(options: Required<Omit<OpenKeyRingOptions, 'now'>>): void {
  if (typeof options.keys?.insert !== 'function') throw new TypeError('"keys" must be a key store')
  checkAlgorithm(options.algorithm)
  checkText(options.purpose, 'purpose')
  checkSeconds(options.maxLifetimeSeconds, 'maxLifetimeSeconds', 1)
  checkSeconds(options.refreshSeconds, 'refreshSeconds', 1)
  checkSeconds(options.cooldownSeconds, 'cooldownSeconds', 0)
}
