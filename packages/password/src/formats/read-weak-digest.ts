import { decodeAnyBase64 } from '../base64.ts'
import { PasswordError } from '../errors.ts'
import { type DigestLayer, digestBytes, type WeakDigest } from './digest-layer.ts'

/**
 * Returns a stored digest in lower-case hexadecimal, from that or from base64, and the layer that describes it.
 *
 * @throws TypeError when the algorithm or the position is not known.
 * @throws PasswordError PASSWORD_HASH_INVALID when it is no digest of the algorithm, or its salt is too long.
 */
export function readWeakDigest(
  digest: unknown,
  {
    algorithm,
    salt = '',
    saltPosition = 'before',
  }: Partial<Pick<DigestLayer, 'saltPosition'>> & { readonly algorithm: WeakDigest; readonly salt?: string },
): { readonly hexadecimal: string; readonly layer: DigestLayer } {
  if (!Object.hasOwn(digestBytes, algorithm)) {
    throw new TypeError('"algorithm" must be one of md5, sha1, sha256, sha512')
  }
  if (saltPosition !== 'before' && saltPosition !== 'after') {
    throw new TypeError('"saltPosition" must be "before" or "after"')
  }
  const saltBytes = new TextEncoder().encode(salt)
  if (saltBytes.length > 64)
    throw new PasswordError('PASSWORD_HASH_INVALID', 'the salt of a digest has at most 64 bytes')
  const hexadecimal = typeof digest === 'string' ? readHexadecimal(digest, digestBytes[algorithm]) : null
  if (hexadecimal === null) throw new PasswordError('PASSWORD_HASH_INVALID', `this is no ${algorithm} digest`)
  return { hexadecimal, layer: { algorithm, salt: saltBytes, saltPosition } }
}

function readHexadecimal(digest: string, length: number): string | null {
  if (digest.length === 2 * length) return /^[0-9a-f]+$/i.test(digest) ? digest.toLowerCase() : null
  const bytes = digest.length < 2 * length ? decodeAnyBase64(digest) : null
  if (bytes?.length !== length) return null
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
