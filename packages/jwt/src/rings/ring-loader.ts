import type { JwtAlgorithm } from '../algorithm.ts'
import { JwtError } from '../errors.ts'
import { createExpiringKeys, type ExpiringKey } from '../keys/expiring-keys.ts'
import type { JwtKey } from '../keys/jwt-key.ts'
import type { KeyIndex } from '../keys/key-set.ts'
import type { SealedKeys } from './sealed-keys.ts'
import { chooseSigning } from './signing-choice.ts'
import type { StoredKey, StoredKeys } from './stored-keys.ts'

export interface RingLoaderOptions {
  readonly stored: StoredKeys
  readonly sealedKeys: SealedKeys
  readonly createId: () => string
  readonly algorithm: JwtAlgorithm
  /** For how long a retired key still verifies. */
  readonly retentionMs: number
  /** How long a key is published before it signs; 0: it need not be. */
  readonly publishAheadMs: number
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
  /** The keys that a rotation retires: the signing key, and keys of an algorithm that the ring no longer uses. */
  readonly outgoing: readonly StoredKey[]
  /** When the next key may sign, epoch milliseconds, or `-Infinity`: verifiers elsewhere know it by then. */
  readonly nextSignsAt: number
  /** Retired, and all their tokens have expired. */
  readonly finished: readonly StoredKey[]
}

/** Reads and changes the keys of one purpose. */
export interface RingLoader {
  /** Reads the ring, and adds missing keys. */
  load(): Promise<RingKeys>
  /** Adds new keys, and removes all earlier ones. */
  replaceAll(): Promise<void>
}

/** The signing key, and the next key, which verifiers must know before it signs. */
const wanted = 2

/** Creates what reads a ring from the store. */
export function createRingLoader(options: RingLoaderOptions): RingLoader {
  const { stored, sealedKeys, createId, algorithm, retentionMs, publishAheadMs, now } = options
  let opened: ReadonlyMap<string, JwtKey> = new Map()

  const endOf = ({ value: { retiredAt } }: StoredKey) =>
    retiredAt === null ? Number.POSITIVE_INFINITY : retiredAt + retentionMs
  const isOfRing = ({ row }: RingEntry) => row.value.algorithm === algorithm

  async function open(row: StoredKey): Promise<readonly [string, JwtKey]> {
    const { sealed } = row.value
    return [sealed, opened.get(sealed) ?? (await sealedKeys.open(row))]
  }
  async function readRing(): Promise<Ring> {
    const rows = await stored.list()
    const live = rows.filter((row) => endOf(row) > now())
    opened = new Map(await Promise.all(live.map(open)))
    const entries = live.map((row) => ({ row, key: opened.get(row.value.sealed), until: endOf(row) }))
    return { rows, entries: entries.filter((entry): entry is RingEntry => entry.key !== undefined) }
  }
  /** Two processes may both add keys: then there are more next keys than needed, and every process knows all of them. */
  async function add(count: number, rows: readonly StoredKey[]): Promise<void> {
    // After every known key, whatever the clock of this machine: a new key must not sign before it is known.
    let latest = Math.max(0, ...rows.map(({ value }) => value.createdAt))
    const createdAt = (): number => {
      latest = Math.max(now(), latest + 1)
      return latest
    }
    for (let added = 0; added < count; added++) {
      const id = createId()
      await stored.insert(id, await sealedKeys.generate(id, algorithm, createdAt))
    }
  }
  async function addMissing({ rows, entries }: Ring): Promise<boolean> {
    const missing = wanted - entries.filter(isActive).filter(isOfRing).length
    await add(missing, rows)
    return missing > 0
  }

  return {
    async load() {
      // Stored keys are opened first: a process with the wrong secrets must not add keys that no other can open.
      const found = await readRing()
      const { rows, entries } = (await addMissing(found)) ? await readRing() : found
      const active = entries.filter(isActive)
      const choice = chooseSigning(active, { algorithm, publishAheadMs, now })
      if (!choice) throw new JwtError('JWT_KEYS_UNAVAILABLE', 'the document store does not keep its keys')
      const { current, nextSignsAt } = choice
      const outgoing = active.filter((entry) => entry === current || !isOfRing(entry))
      return {
        signing: current.key,
        usable: createExpiringKeys(entries, now),
        outgoing: outgoing.map(({ row }) => row),
        nextSignsAt,
        finished: rows.filter((row) => endOf(row) <= now()),
      }
    },
    async replaceAll() {
      const { rows } = await readRing()
      await add(wanted, rows)
      for (const row of rows) await stored.remove(row)
    },
  }
}

function isActive({ row }: RingEntry): boolean {
  return row.value.retiredAt === null
}
