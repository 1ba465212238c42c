import {
  decodeBase64url,
  deriveSecrets,
  encodeBase64url,
  equalBytes,
  hmacSha256,
  randomBytes,
  type SecretKeys,
} from '@latchkey/bytes'

/** Ids of keys that can be distinguished from invented ones without a lookup. */
export interface KeyIds {
  create(): string
  /** Whether an id was created with one of the secrets, for this purpose. */
  isOwn(id: string): boolean
}

const randomLength = 12
const tagLength = 12

/**
 * Creates ids of 12 random bytes with a tag. A token may have any `kid`; because of the tag, only ids of keys that
 * exist or existed are looked up in the store, so invented ones can neither cause load nor use up the cooldown that a
 * new key needs.
 */
export function createKeyIds({ secrets, purpose }: { readonly secrets: SecretKeys; readonly purpose: string }): KeyIds {
  const derived = deriveSecrets(secrets, `jwt-key-id/${purpose}`)
  const tag = (key: Uint8Array, random: Uint8Array) => hmacSha256(key, random).subarray(0, tagLength)
  return {
    create() {
      const id = new Uint8Array(randomLength + tagLength)
      id.set(randomBytes(randomLength))
      id.set(tag(derived[0].bytes, id.subarray(0, randomLength)), randomLength)
      return encodeBase64url(id)
    },
    isOwn(id) {
      const bytes = id.length === 32 ? decodeBase64url(id) : null
      if (!bytes) return false
      const [random, presented] = [bytes.subarray(0, randomLength), bytes.subarray(randomLength)]
      return derived.some((secret) => equalBytes(tag(secret.bytes, random), presented))
    },
  }
}
