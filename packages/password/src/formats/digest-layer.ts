import { decodeBase64, encodeBase64 } from '../base64.ts'
import { readParameters } from './phc.ts'

/** The digests that old systems kept of passwords, none of which is verified unless it is wrapped. */
export type WeakDigest = 'md5' | 'sha1' | 'sha256' | 'sha512'

/** How the password was digested before the slow hash was put around it. */
export interface DigestLayer {
  readonly algorithm: WeakDigest
  readonly salt: Uint8Array<ArrayBuffer>
  readonly saltPosition: 'before' | 'after'
}

/** The bytes that each digest has. */
export const digestBytes: Readonly<Record<WeakDigest, number>> = { md5: 16, sha1: 20, sha256: 32, sha512: 64 }

/** Returns the hexadecimal digest that the old system would have stored. */
export async function computeDigest({ algorithm, salt, saltPosition }: DigestLayer, password: string): Promise<string> {
  const [{ md5, sha1 }, { sha256, sha512 }, { bytesToHex }] = await Promise.all([
    import('@noble/hashes/legacy.js'),
    import('@noble/hashes/sha2.js'),
    import('@noble/hashes/utils.js'),
  ])
  const digests = { md5, sha1, sha256, sha512 }
  const text = new TextEncoder().encode(password)
  const output = digests[algorithm](new Uint8Array(saltPosition === 'before' ? [...salt, ...text] : [...text, ...salt]))
  return bytesToHex(output)
}

/** Returns the fields of a layer: `md5`, or `md5$s=<salt>,o=before`. */
export function writeDigestLayer({ algorithm, salt, saltPosition }: DigestLayer): string {
  return salt.length === 0 ? algorithm : `${algorithm}$s=${encodeBase64(salt)},o=${saltPosition}`
}

/** Reads a layer from the front of the fields: the layer and how many fields it took, or `null` when it is malformed. */
export function readDigestLayer(algorithm: WeakDigest, next: string): { layer: DigestLayer; fields: 1 | 2 } | null {
  if (!next.startsWith('s=')) return { layer: { algorithm, salt: new Uint8Array(), saltPosition: 'before' }, fields: 1 }
  const [salt, position, ...more] = readParameters(next) ?? []
  const bytes = decodeBase64(salt?.[1] ?? '')
  const saltPosition = position?.[0] === 'o' ? position[1] : undefined
  if (!bytes || bytes.length === 0 || bytes.length > 64 || more.length > 0) return null
  if (saltPosition !== 'before' && saltPosition !== 'after') return null
  return { layer: { algorithm, salt: bytes, saltPosition }, fields: 2 }
}
