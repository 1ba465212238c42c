import { encodeBase64url, sha256 } from '@latchkey/bytes'
import {
  defineStoredShape,
  type FactorCategory,
  isStoredCount,
  isStoredFlag,
  isStoredText,
  type Stored,
  type StoredFactor,
  type StoredShape,
  storedList,
  storedOrNull,
} from '@latchkey/store'

/** The kind of factor under which passkeys are stored and proven. */
export const passkeyKind = 'passkey'

/** A passkey of an account, as it may be shown to its owner. */
export interface EnrolledPasskey {
  /** base64url of SHA-256 of the credential id. */
  readonly id: string
  readonly kind: 'passkey'
  /** What the owner calls it. */
  readonly name: string
  /** Epoch milliseconds, as the other instants. */
  readonly createdAt: number
  /** `null`: not since it was registered. */
  readonly lastUsedAt: number | null
  /** Whether a copy of it was kept elsewhere when it was last used, so that it survives the loss of the device. */
  readonly backedUp: boolean
  /** What it showed when it was last used: `know+have` with user verification, which may be a PIN, and `have` without. */
  readonly category: FactorCategory
}

/** The value of a passkey's factor. It holds no secret: the private key never leaves the authenticator. */
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

/** Values of passkeys have had one shape so far. */
const shapeVersion = 1

const shape: StoredShape<PasskeyValue> = defineStoredShape<PasskeyValue>({
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

/** A passkey as it was read: what `replace` names, and its value. */
export interface StoredPasskey {
  readonly factor: StoredFactor
  readonly value: Stored<PasskeyValue>
}

export function readPasskey(factor: StoredFactor): StoredPasskey {
  return { factor, value: shape.parse(factor.value) }
}

export function formatPasskey(value: Stored<PasskeyValue>): string {
  return shape.format(value, shapeVersion)
}

export function passkeyIdOf(credentialId: Uint8Array): string {
  return encodeBase64url(sha256(credentialId))
}

export function toEnrolled(id: string, value: PasskeyValue): EnrolledPasskey {
  const { name, createdAt, lastUsedAt, backedUp, userVerified } = value
  return { id, kind: passkeyKind, name, createdAt, lastUsedAt, backedUp, category: categoryOf(userVerified) }
}

/** A credential as the browser is asked for it. */
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
