import { randomBytes, randomToken } from '@latchkey/bytes'
import { checkAlgorithm, type JwtAlgorithm } from '../algorithm.ts'
import { importJwtKey } from './import-jwt-key.ts'
import type { JwtKey } from './jwt-key.ts'

/**
 * Creates a key that signs and verifies: 32 random bytes for HS256, 2048 bits for RS256 and PS256. It exists in this
 * process only; for keys that outlive it use `openKeyRing`.
 *
 * @throws TypeError when the algorithm is unknown.
 *
 * @example
 * import { createKeyRing, generateJwtKey } from '@latchkey/jwt'
 * const keys = createKeyRing({ keys: [await generateJwtKey('ES256')] })
 */
export async function generateJwtKey(algorithm: JwtAlgorithm): Promise<JwtKey> {
  return importJwtKey(await generateKeyMaterial(algorithm, randomToken(16)))
}

/** Creates the material of a key, in the form in which it can be stored. */
export async function generateKeyMaterial(
  algorithm: JwtAlgorithm,
  id: string,
): Promise<Parameters<typeof importJwtKey>[0]> {
  checkAlgorithm(algorithm)
  if (algorithm === 'HS256') return { id, algorithm, bytes: randomBytes(32) }
  const [{ generateKeyPair }, { exportJWK }] = await Promise.all([
    import('jose/key/generate/keypair'),
    import('jose/key/export'),
  ])
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true })
  return { id, algorithm, jwk: await exportJWK(privateKey) }
}
