import { hashes } from '#hashes'
import { checkSecrets, type SecretKey, type SecretKeys } from './secret-key.ts'

/**
 * Derives 32 bytes for one purpose from each secret (HKDF-SHA-256, RFC 5869, the purpose as `info`) and keeps the ids.
 * Two purposes never share a key, so what one part of a system signs is not valid in another.
 *
 * @throws TypeError when a secret is not valid or the purpose is empty.
 *
 * @example
 * import { deriveSecrets, randomBytes } from '@latchkey/bytes'
 * const root = [{ id: '2026-01', bytes: randomBytes(32) }] as const
 * const secrets = deriveSecrets(root, 'csrf-token')
 */
export function deriveSecrets(secrets: SecretKeys, purpose: string): SecretKeys {
  if (purpose === '') throw new TypeError('"purpose" must not be empty')
  const derive = ({ id, bytes }: SecretKey): SecretKey => ({ id, bytes: hashes.hkdf(bytes, `latchkey/${purpose}`) })
  const [first, ...rest] = checkSecrets(secrets)
  return [derive(first), ...rest.map(derive)]
}
