import { nodeCrypto } from './node-crypto.ts'

/** The algorithms that are signed with at once. */
export type NativeSignatureAlgorithm = 'ES256' | 'EdDSA'

/** Signs bytes. */
export type NativeSign = (data: Uint8Array) => Uint8Array

/**
 * RSA is missing: 2048 bits take as long as ten signatures on a curve, 4096 bits fifty, for which every other request
 * would wait. On a curve the way to a thread and back costs more than the signature.
 */
const digests: Readonly<Record<NativeSignatureAlgorithm, 'sha256' | null>> = { ES256: 'sha256', EdDSA: null }

/** Of both algorithms (RFC 7518 §3.4, RFC 8032 §5.1.6): two numbers of 32 bytes. */
const signatureLength = 64

/** Whether an algorithm is signed with at once where the runtime can. */
export function isNativeSignature(algorithm: string): algorithm is NativeSignatureAlgorithm {
  return Object.hasOwn(digests, algorithm)
}

/**
 * Returns a synchronous signature by a private JWK, or `null` where the runtime has none, or only a part of it: some know the
 * function, and not the key or the encoding.
 */
export function createNativeSign(algorithm: NativeSignatureAlgorithm, jwk: object): NativeSign | null {
  const crypto = nodeCrypto()
  try {
    if (!crypto) return null
    const key = { key: crypto.createPrivateKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' } as const
    const sign: NativeSign = (data) => crypto.sign(digests[algorithm], data, key)
    return sign(new Uint8Array(1)).length === signatureLength ? sign : null
  } catch {
    return null
  }
}
