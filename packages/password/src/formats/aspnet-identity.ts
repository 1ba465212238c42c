import { decodeAnyBase64 } from '../base64.ts'
import type { Pbkdf2Job } from '../engines/engine.ts'
import { createPbkdf2Hash } from './pbkdf2.ts'
import type { StoredHash } from './stored-hash.ts'

const version3Digests: readonly Pbkdf2Job['digest'][] = ['sha1', 'sha256', 'sha512']

/** Reads the base64 of ASP.NET Identity: a marker byte 0 (version 2) or 1 (version 3), then the parts. */
export function readAspNetIdentity(text: string): StoredHash | null {
  const bytes = text.length <= 256 ? decodeAnyBase64(text) : null
  if (bytes?.[0] === 0) return readVersion2(bytes)
  return bytes?.[0] === 1 ? readVersion3(bytes) : null
}

/** Marker, 16 bytes of salt, 32 bytes of PBKDF2-HMAC-SHA-1 with 1000 iterations. */
function readVersion2(bytes: Uint8Array): StoredHash | null {
  if (bytes.length !== 49) return null
  const [salt, hash] = [bytes.slice(1, 17), bytes.slice(17)]
  return createPbkdf2Hash('aspnet-identity-v2', { digest: 'sha1', salt, iterations: 1000, hash })
}

/** Marker, then big-endian: digest, iterations, length of the salt; salt; hash. */
function readVersion3(bytes: Uint8Array): StoredHash | null {
  if (bytes.length < 13) return null
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  const digest = version3Digests[view.getUint32(1)]
  const saltEnd = 13 + view.getUint32(9)
  if (!digest) return null
  const [salt, hash] = [bytes.slice(13, saltEnd), bytes.slice(saltEnd)]
  return createPbkdf2Hash('aspnet-identity-v3', { digest, salt, iterations: view.getUint32(5), hash })
}
