import type { DocumentStore } from '@latchkey/store'
import {
  type CollectionItem,
  createCollection,
  defineStoredShape,
  isStoredCount,
  isStoredText,
  storedVersion as newestVersion,
  storedOrNull,
} from '@latchkey/store/internal'
import type { JwtAlgorithm } from '../algorithm.ts'

/**
 * A signing key at rest. Only the key itself is sealed; the other members are plain text. Its id is the `kid` in
 * tokens.
 */
export interface SealedKey {
  /** The kind of its tokens; a key ring sees only the keys of its own purpose. */
  readonly purpose: string
  readonly algorithm: JwtAlgorithm
  /** The private key as a sealed box. */
  readonly sealed: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Epoch milliseconds; `null` for the signing key and the next key. */
  readonly retiredAt: number | null
}

/** A signing key as it was read. */
export type StoredKey = CollectionItem<SealedKey>

/** The keys of one purpose in a document store. */
export interface StoredKeys {
  /** Returns the keys, the oldest first. */
  list(): Promise<readonly StoredKey[]>
  insert(id: string, key: SealedKey): Promise<void>
  /** Sets `retiredAt` unless the key has changed since it was listed: another caller has retired or removed it then. */
  retire(key: StoredKey, at: number): Promise<void>
  /** Removes the key, even if it has changed since it was listed. */
  remove(key: StoredKey): Promise<void>
}

const shape = defineStoredShape<SealedKey>({
  name: 'signing key',
  members: {
    purpose: isStoredText,
    // The sealed box holds the algorithm as well.
    algorithm: isStoredText,
    sealed: isStoredText,
    createdAt: isStoredCount,
    retiredAt: storedOrNull(isStoredCount),
  },
})

export function openStoredKeys(
  documents: DocumentStore,
  purpose: string,
  storedVersion: () => number = () => newestVersion,
): StoredKeys {
  const collection = createCollection({ documents, name: 'signing-key', shape, storedVersion })
  return {
    list: async () => (await collection.listAll()).filter(({ value }) => value.purpose === purpose).sort(byAge),
    async insert(id, key) {
      await collection.insert(id, null, key)
    },
    async retire(key, retiredAt) {
      await collection.replace(key, { ...key.value, retiredAt })
    },
    async remove({ id }) {
      await collection.remove(id)
    },
  }
}

function byAge(left: StoredKey, right: StoredKey): number {
  return left.value.createdAt - right.value.createdAt || (left.id < right.id ? -1 : 1)
}
