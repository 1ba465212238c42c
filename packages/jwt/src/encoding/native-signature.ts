import { type NodeCrypto, nodeCrypto } from './node-crypto.ts'
import { joseSignature } from './signature-form.ts'

/** The algorithms that are signed with at once. */
export type NativeSignatureAlgorithm = 'ES256' | 'EdDSA'

/** Signs bytes. */
export type NativeSign = (data: Uint8Array) => Uint8Array

type Way = (crypto: NodeCrypto, key: object, data: Uint8Array) => Uint8Array

/**
 * RSA is missing: 2048 bits take as long as ten signatures on a curve, 4096 bits fifty, for which every other request
 * would wait. On a curve the way to a thread and back costs more than the signature.
 */
const ways: Readonly<Record<NativeSignatureAlgorithm, Way>> = {
  // Node.js writes the form of JOSE itself, but then finds out by throwing errors what its options are: twice the time.
  ES256: ({ sign }, key, data) => joseSignature(sign('sha256', data, key)),
  EdDSA: ({ sign }, key, data) => sign(null, data, key),
}

/** Of both algorithms (RFC 7518 §3.4, RFC 8032 §5.1.6): two numbers of 32 bytes. */
const signatureLength = 64

/** Returns whether the runtime can sign synchronously with this algorithm. */
export function isNativeSignature(algorithm: string): algorithm is NativeSignatureAlgorithm {
  return Object.hasOwn(ways, algorithm)
}

/**
 * Returns a synchronous signature by a private JWK, or `null` if the runtime cannot sign with this key: some have the
 * function, but do not support the key.
 */
export function createNativeSign(algorithm: NativeSignatureAlgorithm, jwk: object): NativeSign | null {
  const crypto = nodeCrypto()
  if (!crypto) return null
  try {
    const key = crypto.createPrivateKey({ key: jwk, format: 'jwk' })
    const sign: NativeSign = (data) => ways[algorithm](crypto, key, data)
    return sign(new Uint8Array(1)).length === signatureLength ? sign : null
  } catch {
    return null
  }
}
