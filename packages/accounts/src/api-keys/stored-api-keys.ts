import type { DocumentStore } from '@latchkey/store'
import {
  type Collection,
  createCollection,
  defineStoredShape,
  isStoredCount,
  isStoredText,
  storedList,
  storedOrNull,
} from '@latchkey/store/internal'

/** The stored part of a key, under its id and for its owner. */
export interface StoredApiKey {
  /** SHA-256 of the secret, in base64url. */
  readonly secretHash: string
  readonly name: string
  readonly start: string
  readonly scopes: readonly string[]
  /** Epoch milliseconds, as the two below. */
  readonly createdAt: number
  readonly expiresAt: number
  /** Accurate to a minute; `null`: never. */
  readonly lastUsedAt: number | null
}

const shape = defineStoredShape<StoredApiKey>({
  name: 'API key',
  members: {
    secretHash: isStoredText,
    name: isStoredText,
    start: isStoredText,
    scopes: storedList(isStoredText),
    createdAt: isStoredCount,
    expiresAt: isStoredCount,
    lastUsedAt: storedOrNull(isStoredCount),
  },
})

const name = 'api-keys'

export function createStoredApiKeys(documents: DocumentStore, storedVersion: () => number): Collection<StoredApiKey> {
  return createCollection({ documents, name, shape, storedVersion })
}

/** Removes all keys of an account, also unreadable ones, and returns their number. */
export async function removeApiKeys(documents: DocumentStore | null, accountId: string): Promise<number> {
  return (await documents?.removeByOwner(accountId, { collections: [name] })) ?? 0
}
