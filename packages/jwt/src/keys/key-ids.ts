import {
  decodeBase64url,
  deriveSecrets,
  encodeBase64url,
  equalBytes,
  hmacSha256,
  randomBytes,
  type SecretKeys,
} from '@latchkey/bytes'

/** Ids of keys that can be told from invented ones without looking anything up. */
export interface KeyIds {
  create(): string
  /** Tells whether an id was made under one of the secrets, for this purpose. */
  isOwn(id: string): boolean
}

const randomLength = 12
const tagLength = 12

/**
 * Gives ids of 12 random bytes and a tag over them. Anybody can put any `kid` into a token; with the tag only the ids of
 * keys that exist or have existed ever cause a look into the store, so invented ones can neither load the store nor use up
 * a cool-down that a new key needs.
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
