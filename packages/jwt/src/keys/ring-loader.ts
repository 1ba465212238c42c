import type { JwtAlgorithm } from '../algorithm.ts'
import { JwtError } from '../errors.ts'
import { createExpiringKeys, type ExpiringKey } from './expiring-keys.ts'
import type { JwtKey } from './jwt-key.ts'
import type { KeyIndex } from './key-set.ts'
import type { KeyStore, StoredKey } from './key-store.ts'
import type { SealedKeys } from './sealed-keys.ts'

export interface RingLoaderOptions {
  readonly store: KeyStore
  readonly sealedKeys: SealedKeys
  readonly createId: () => string
  readonly algorithm: JwtAlgorithm
  readonly purpose: string
  /** For how long a retired key still verifies. */
  readonly retentionMs: number
  readonly now: () => number
}

interface RingEntry extends ExpiringKey {
  readonly row: StoredKey
}

interface Ring {
  readonly rows: readonly StoredKey[]
  readonly entries: readonly RingEntry[]
}

/** A ring as it was stored at one time. */
export interface RingKeys {
  readonly signing: JwtKey
  /** The keys that verify now. */
  readonly usable: () => KeyIndex
  /** What a rotation retires: the signing key, and keys of an algorithm that the ring no longer uses. */
  readonly outgoing: readonly string[]
  /** Retired, and all their tokens have expired. */
  readonly finished: readonly string[]
}

/** The signing key, and the next one, which verifiers must know before it signs. */
const wanted = 2

/** Creates the function that reads a ring from the store and adds missing keys. */
export function createRingLoader(options: RingLoaderOptions): () => Promise<RingKeys> {
  const { store, sealedKeys, createId, algorithm, purpose, retentionMs, now } = options
  let opened: ReadonlyMap<string, JwtKey> = new Map()

  const endOf = ({ retiredAt }: StoredKey) => (retiredAt === null ? Number.POSITIVE_INFINITY : retiredAt + retentionMs)
  const isWaiting = ({ row }: RingEntry) => row.retiredAt === null && row.algorithm === algorithm

  async function open(row: StoredKey): Promise<readonly [string, JwtKey]> {
    return [row.sealed, opened.get(row.sealed) ?? (await sealedKeys.open(row))]
  }
  async function readRing(): Promise<Ring> {
    const rows = (await store.list()).filter((row) => row.purpose === purpose).sort(byAge)
    const live = rows.filter((row) => endOf(row) > now())
    opened = new Map(await Promise.all(live.map(open)))
    const entries = live.map((row) => ({ row, key: opened.get(row.sealed), until: endOf(row) }))
    return { rows, entries: entries.filter((entry): entry is RingEntry => entry.key !== undefined) }
  }
  /**
   * Two processes may both add keys: then there are more next keys than needed, and every process knows all of them.
   */
  async function addMissing({ rows, entries }: Ring): Promise<boolean> {
    const missing = wanted - entries.filter(isWaiting).length
    // After every known key, whatever the clock of this machine: a new key must not sign before it is known.
    const first = Math.max(now(), ...rows.map(({ createdAt }) => createdAt + 1))
    for (let added = 0; added < missing; added++) {
      await store.insert(await sealedKeys.generate(createId(), algorithm, first + added))
    }
    return missing > 0
  }

  return async () => {
    // Stored keys are opened first: a process with the wrong secrets must not add keys that no other process can open.
    const found = await readRing()
    const { rows, entries } = (await addMissing(found)) ? await readRing() : found
    const current = entries.find(isWaiting)
    if (!current) throw new JwtError('JWT_KEYS_UNAVAILABLE', 'the key store does not keep its keys')
    const outgoing = entries.filter(({ row }) => row.retiredAt === null && row.algorithm !== algorithm)
    return {
      signing: current.key,
      usable: createExpiringKeys(entries, now),
      outgoing: [current, ...outgoing].map(({ row }) => row.id),
      finished: rows.filter((row) => endOf(row) <= now()).map((row) => row.id),
    }
  }
}

function byAge(left: StoredKey, right: StoredKey): number {
  return left.createdAt - right.createdAt || (left.id < right.id ? -1 : 1)
}
