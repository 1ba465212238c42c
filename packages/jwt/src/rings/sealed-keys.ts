import { createSealer, decodeBase64url, encodeBase64url, type SecretKeys } from '@latchkey/bytes'
import type { JwtAlgorithm } from '../algorithm.ts'
import { JwtError } from '../errors.ts'
import { generateKeyMaterial } from '../keys/generate-jwt-key.ts'
import { importJwtKey } from '../keys/import-jwt-key.ts'
import type { JwtKey } from '../keys/jwt-key.ts'
import type { SealedKey, StoredKey } from './stored-keys.ts'

/** Generates and opens keys at rest. */
export interface SealedKeys {
  /** `createdAt` is called last, because generating takes time. */
  generate(id: string, algorithm: JwtAlgorithm, createdAt: () => number): Promise<SealedKey>
  open(stored: StoredKey): Promise<JwtKey>
}

/**
 * Generates and opens the keys of one purpose. The box holds the algorithm with the key and is bound to the id, so a
 * key whose other members were changed does not open.
 */
export function createSealedKeys({
  secrets,
  purpose,
}: {
  readonly secrets: SecretKeys
  readonly purpose: string
}): SealedKeys {
  const sealer = createSealer({ secrets, purpose: `jwt-key/${purpose}` })
  return {
    async generate(id, algorithm, createdAt) {
      const material = await generateKeyMaterial(algorithm, id)
      const sealed = await sealer.seal(encodeMaterial(material), id)
      return { purpose, algorithm, sealed, createdAt: createdAt(), retiredAt: null }
    },
    async open({ id, value: { algorithm, sealed } }) {
      const bytes = await sealer.open(sealed, id)
      const material = bytes && decodeMaterial(id, bytes)
      if (material?.algorithm === algorithm) return importJwtKey(material)
      throw new JwtError(
        'JWT_KEY_UNREADABLE',
        'a stored key cannot be opened: the secret that sealed it is not among those given, or it was changed. Give the old secret as well, after the new one. If another service stored the key, use a database of your own. If the secret is lost, remove the stored keys, which revokes all access tokens',
      )
    },
  }
}

function encodeMaterial(material: Parameters<typeof importJwtKey>[0]): Uint8Array {
  const { id, ...rest } = material
  const plain = 'bytes' in rest ? { ...rest, bytes: encodeBase64url(rest.bytes) } : rest
  return new TextEncoder().encode(JSON.stringify(plain))
}

function decodeMaterial(id: string, bytes: Uint8Array): Parameters<typeof importJwtKey>[0] | null {
  const material = JSON.parse(new TextDecoder().decode(bytes))
  if (material.algorithm !== 'HS256') return { ...material, id }
  const secret = decodeBase64url(material.bytes)
  return secret && { id, algorithm: 'HS256', bytes: secret }
}
