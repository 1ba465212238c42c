import { encodeBase64url, sha256 } from '@latchkey/bytes'
import type { DocumentStore, EnrolledPasskey, FactorCategory } from '@latchkey/store'
import {
  type Collection,
  type CollectionItem,
  createCollection,
  defineStoredShape,
  isStoredCount,
  isStoredFlag,
  isStoredText,
  storedList,
  storedOrNull,
} from '@latchkey/store/internal'

/** The `kind` of a passkey in proofs. */
export const passkeyKind = 'passkey'

/** A stored passkey. It holds no secret: the private key never leaves the authenticator. */
export interface PasskeyValue {
  /** base64url, like the public key (COSE) and the user handle. */
  readonly credentialId: string
  readonly publicKey: string
  readonly userHandle: string
  readonly counter: number
  readonly transports: readonly string[]
  readonly name: string
  readonly backupEligible: boolean
  readonly backedUp: boolean
  readonly userVerified: boolean
  readonly createdAt: number
  readonly lastUsedAt: number | null
}

const shape = defineStoredShape<PasskeyValue>({
  name: 'passkey',
  members: {
    credentialId: isStoredText,
    publicKey: isStoredText,
    userHandle: isStoredText,
    counter: isStoredCount,
    transports: storedList(isStoredText),
    name: isStoredText,
    backupEligible: isStoredFlag,
    backedUp: isStoredFlag,
    userVerified: isStoredFlag,
    createdAt: isStoredCount,
    lastUsedAt: storedOrNull(isStoredCount),
  },
})

/** The passkeys of all accounts: each belongs to its account, under the digest of its credential. */
export function openPasskeys(documents: DocumentStore): Collection<PasskeyValue> {
  // Values of passkeys have had one shape so far.
  return createCollection({ documents, name: 'factor-passkey', shape, storedVersion: () => 1 })
}

/** A passkey as it was read. */
export type StoredPasskey = CollectionItem<PasskeyValue>

/** Returns the passkeys of an account that can be read, the oldest first. */
export async function listPasskeys(
  passkeys: Collection<PasskeyValue>,
  accountId: string,
): Promise<readonly StoredPasskey[]> {
  const found = await passkeys.listReadable(accountId)
  return [...found].sort((one, other) => one.value.createdAt - other.value.createdAt || (one.id < other.id ? -1 : 1))
}

export function passkeyIdOf(credentialId: Uint8Array): string {
  return encodeBase64url(sha256(credentialId))
}

export function toEnrolled({ id, value }: Pick<StoredPasskey, 'id' | 'value'>): EnrolledPasskey {
  const { name, createdAt, lastUsedAt, backedUp, userVerified } = value
  return { id, kind: passkeyKind, name, createdAt, lastUsedAt, backedUp, category: categoryOf(userVerified) }
}

/** A credential in the options for the browser. */
export interface AllowedCredential {
  readonly id: string
  readonly transports: string[]
}

export function toAllowed({ credentialId, transports }: PasskeyValue): AllowedCredential {
  return { id: credentialId, transports: [...transports] }
}

export function categoryOf(userVerified: boolean): FactorCategory {
  return userVerified ? 'know+have' : 'have'
}
