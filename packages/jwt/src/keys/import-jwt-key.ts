import { randomToken } from '@latchkey/bytes'
import type { JwtAlgorithm } from '../algorithm.ts'
import { checkAlgorithm } from '../algorithm.ts'
import { parseCompactToken } from '../encoding/compact-token.ts'
import { JwtError } from '../errors.ts'
import { type CheckedJwk, checkJwk, type Jwk, type KeyPairAlgorithm } from './check-jwk.ts'
import { createJwtKey, type JwtKey, type KeyOperations } from './jwt-key.ts'
import { createHmacOperations, createKeyPairOperations } from './key-operations.ts'
import { type Jose, loadJose } from './load-jose.ts'

/**
 * Imports a key and checks it: HMAC secrets of at least 32 bytes (RFC 7518 §3.2), RSA of at least 2048 bits with an odd
 * exponent of at least 65537 (§3.3) and without the fingerprint of CVE-2017-15361 (ROCA), whose private keys can be
 * computed from the public ones, the curve of the algorithm, and a private key that belongs to the public one. Only the
 * key members of a JWK are used; its `alg`, `use` and `key_ops` must agree.
 *
 * @param material `id`: 1 to 128 characters, the `kid` of its tokens. A PEM file becomes a JWK with
 *   `createPrivateKey(pem).export({ format: 'jwk' })` of `node:crypto`.
 * @throws TypeError when `id`, `algorithm`, `bytes` or `jwk` is missing or of another type.
 * @throws JwtError `JWT_KEY_WEAK`, `JWT_KEY_MISMATCH`, `JWT_KEY_INVALID`.
 *
 * @example
 * import { randomBytes } from '@latchkey/bytes'
 * import { importJwtKey } from '@latchkey/jwt'
 * const key = await importJwtKey({ id: '2026-01', algorithm: 'HS256', bytes: randomBytes(32) })
 */
export async function importJwtKey(
  material:
    | { readonly id: string; readonly algorithm: 'HS256'; readonly bytes: Uint8Array }
    | { readonly id: string; readonly algorithm: Exclude<JwtAlgorithm, 'HS256'>; readonly jwk: Jwk },
): Promise<JwtKey> {
  const { id, algorithm } = material
  if (typeof id !== 'string' || !/^[\x21-\x7e]{1,128}$/.test(id)) {
    throw new TypeError('"id" must be 1 to 128 printable ASCII characters')
  }
  checkAlgorithm(algorithm)
  const operations = await (material.algorithm === 'HS256' ? importSecret(material.bytes) : importJwk(material))
  return createJwtKey(id, algorithm, operations)
}

async function importSecret(bytes: Uint8Array): Promise<KeyOperations> {
  if (!(bytes instanceof Uint8Array)) throw new TypeError('"bytes" must be a Uint8Array')
  if (bytes.length < 32) throw new JwtError('JWT_KEY_WEAK', '"bytes" must have at least 32 bytes')
  return createHmacOperations(bytes.slice())
}

async function importJwk(material: Extract<Parameters<typeof importJwtKey>[0], { jwk: Jwk }>): Promise<KeyOperations> {
  const { id, algorithm, jwk } = material
  if (typeof jwk !== 'object' || jwk === null) throw new TypeError('"jwk" must be an object')
  const { publicJwk, privateMembers } = checkJwk(jwk, algorithm)
  const jose = await loadJose()
  const privateJwk = privateMembers && { ...publicJwk, ...privateMembers }
  const operations = createKeyPairOperations(jose, algorithm, {
    publicKey: await importMembers(jose, publicJwk, algorithm),
    privateKey: privateJwk && (await importMembers(jose, privateJwk, algorithm)),
    publicJwk: { ...publicJwk, kid: id },
    privateJwk,
  })
  await checkHalves(operations, algorithm)
  return operations
}

async function importMembers(
  { importJWK }: Jose,
  members: CheckedJwk['publicJwk'],
  algorithm: KeyPairAlgorithm,
): Promise<CryptoKey> {
  try {
    return await importJWK(members, algorithm, { extractable: false })
  } catch (cause) {
    throw new JwtError('JWT_KEY_INVALID', '"jwk" holds no usable key', { cause })
  }
}

/** A private key with another key's public members signs what cannot be verified, and may leak (EdDSA). */
async function checkHalves({ sign, verify }: KeyOperations, alg: KeyPairAlgorithm): Promise<void> {
  if (!sign) return
  const probe = parseCompactToken(await sign({ alg, typ: 'probe', kid: '' }, randomToken()))
  if (probe && (await verify(probe))) return
  throw new JwtError('JWT_KEY_INVALID', '"jwk": the private and the public members are of different keys')
}
