import { decodeBase64url, encodeBase64url, hmacSha256, type SecretKey, sha256 } from '@latchkey/bytes'
import { isSha256Of } from '@latchkey/bytes/internal'
import { createCredential, parseCredential } from '@latchkey/store'
import { familyKind } from './refresh-family.ts'

const lineageBytes = 16
const secretBytes = 32
const text = new TextEncoder()

/** A token `<key>.<lineage><secret>`: 16 random bytes that stay with the family, 32 that change at each use. */
export interface RefreshSecret {
  readonly key: string
  readonly lineage: Uint8Array
  readonly secret: Uint8Array
}

export function createRefreshSecret(): RefreshSecret {
  const { key, secret } = createCredential(familyKind, lineageBytes + secretBytes)
  return split(key, secret)
}

export function parseRefreshToken(token: string | null): RefreshSecret | null {
  const presented = parseCredential(familyKind, token, lineageBytes + secretBytes)
  return presented && split(presented.key, presented.secret)
}

export function formatRefreshToken({ key, lineage, secret }: RefreshSecret): string {
  return `${key}.${encodeBase64url(concat([lineage, secret]))}`
}

/** Returns the stored digest of a secret: SHA-256 in base64url. */
export function hashSecret(secret: Uint8Array): string {
  return encodeBase64url(sha256(secret))
}

/** Compares digests in constant time. */
export function isHashOf(hash: string, secret: Uint8Array): boolean {
  const digest = decodeBase64url(hash)
  return digest !== null && isSha256Of(digest, secret)
}

export function hashText(given: string): string {
  return hashSecret(text.encode(given))
}

export function isHashOfText(hash: string, given: string): boolean {
  return isHashOf(hash, text.encode(given))
}

interface SuccessorParts {
  readonly serverKey: SecretKey
  /** The generation of the successor. */
  readonly generation: number
  readonly salt: string
}

/**
 * Derives the successor of a token: HMAC-SHA-256 under the server's key over purpose, family, generation, salt and the
 * presented secret, each field prefixed with its length. All of them are needed to derive it again: neither the record
 * nor the token suffices.
 */
export function deriveSuccessor(
  presented: RefreshSecret,
  { serverKey, generation, salt }: SuccessorParts,
): RefreshSecret {
  const fields = [
    text.encode('refresh-successor'),
    text.encode(presented.key),
    text.encode(String(generation)),
    decodeBase64url(salt) ?? new Uint8Array(),
    presented.secret,
  ]
  const message = concat(fields.flatMap((field) => [lengthOf(field), field]))
  return { key: presented.key, lineage: presented.lineage, secret: hmacSha256(serverKey.bytes, message) }
}

function split(key: string, bytes: Uint8Array): RefreshSecret {
  return { key, lineage: bytes.subarray(0, lineageBytes), secret: bytes.subarray(lineageBytes) }
}

function lengthOf(field: Uint8Array): Uint8Array {
  const prefix = new Uint8Array(4)
  new DataView(prefix.buffer).setUint32(0, field.length)
  return prefix
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let offset = 0
  for (const part of parts) {
    whole.set(part, offset)
    offset += part.length
  }
  return whole
}
