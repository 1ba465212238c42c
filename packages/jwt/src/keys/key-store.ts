import type { JwtAlgorithm } from '../algorithm.ts'

/** A signing key at rest: everything in clear but the key itself. */
export interface StoredKey {
  /** Unique over all purposes; the `kid` in tokens. */
  readonly id: string
  /** What its tokens are for; a key ring sees only the keys of its own purpose. */
  readonly purpose: string
  readonly algorithm: JwtAlgorithm
  /** The private key as a sealed box. */
  readonly sealed: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Epoch milliseconds; `null` while the key signs or is the next one. */
  readonly retiredAt: number | null
}

/** Where a key ring stores its keys: durable, strongly consistent, one statement on one row per method. */
export interface KeyStore {
  /** False when the id exists; never overwrites. */
  insert(key: StoredKey): Promise<boolean>
  /** Returns all keys of all purposes, in any order. */
  list(): Promise<readonly StoredKey[]>
  /** Sets `retiredAt` where it is `null`: true for exactly one caller. */
  retire(id: string, at: number): Promise<boolean>
  /** True for exactly one caller. */
  remove(id: string): Promise<boolean>
  /**
   * Returns whether the keys are kept in the memory of this process, where no other process sees them. Commands refuse to change
   * such a store. Omitted: other processes see them.
   */
  isInMemory?(): boolean | Promise<boolean>
}

/**
 * Creates a key store in memory, for tests and for a service that may sign all users out when it restarts.
 *
 * @example
 * import { randomBytes } from '@latchkey/bytes'
 * import { createMemoryKeyStore, openKeyRing } from '@latchkey/jwt'
 * const secrets = [{ id: '2026-01', bytes: randomBytes(32) }] as const
 * const keys = await openKeyRing({ keys: createMemoryKeyStore(), secrets, algorithm: 'ES256' })
 */
export function createMemoryKeyStore(): KeyStore {
  const stored = new Map<string, StoredKey>()
  return {
    async insert(key) {
      if (stored.has(key.id)) return false
      stored.set(key.id, { ...key })
      return true
    },
    list: async () => [...stored.values()].map((key) => ({ ...key })),
    async retire(id, at) {
      const key = stored.get(id)
      if (!key || key.retiredAt !== null) return false
      stored.set(id, { ...key, retiredAt: at })
      return true
    },
    remove: async (id) => stored.delete(id),
    isInMemory: () => true,
  }
}
