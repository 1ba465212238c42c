import { decodeBase64url, encodeBase64url, hmacSha256, type SecretKey } from '@latchkey/bytes'
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
  const shown = parseCredential(familyKind, token, lineageBytes + secretBytes)
  return shown && split(shown.key, shown.secret)
}

export function formatRefreshToken({ key, lineage, secret }: RefreshSecret): string {
  return `${key}.${encodeBase64url(concat([lineage, secret]))}`
}

/**
 * Gives the token that follows one: HMAC-SHA-256 under the server's key of purpose, family, generation, salt and the
 * token that was shown. It takes all of them to derive it again, so nothing that is stored or leaked alone does.
 *
 * @param next the generation of the successor. Fields are length-prefixed, so that none can run into its neighbour.
 */
export function deriveSuccessor(
  shown: RefreshSecret,
  { serverKey, next, salt }: { readonly serverKey: SecretKey; readonly next: number; readonly salt: string },
): RefreshSecret {
  const fields = [
    text.encode('refresh-successor'),
    text.encode(shown.key),
    text.encode(String(next)),
    decodeBase64url(salt) ?? new Uint8Array(),
    shown.secret,
  ]
  const message = concat(fields.flatMap((field) => [lengthOf(field), field]))
  return { key: shown.key, lineage: shown.lineage, secret: hmacSha256(serverKey.bytes, message) }
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
