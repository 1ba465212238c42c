import type { JwtAlgorithm } from '../algorithm.ts'
import { encodeSegment, encodeSignature, encodeText } from '../encoding/compact-token.ts'
import { equalTexts } from '../encoding/equal-texts.ts'
import { createNativeHmac } from '../encoding/native-hashes.ts'
import { createNativeSign, isNativeSignature } from '../encoding/native-signature.ts'
import type { Jwks, KeyOperations, SignedHeader } from './jwt-key.ts'
import { type Jose, loadJose } from './load-jose.ts'

type JoseKey = CryptoKey | Uint8Array

const encoder = new TextEncoder()

/** HMAC by the runtime if it is synchronous there (see docs/decisions/jose.md), else by jose. */
export async function createHmacOperations(bytes: Uint8Array): Promise<KeyOperations> {
  const hmac = createNativeHmac(bytes)
  if (!hmac) {
    const jose = await loadJose()
    return { sign: signWith(jose, bytes), verify: verifyWith(jose, 'HS256', bytes), publicJwk: null }
  }
  return {
    sign: signAtOnce(hmac),
    verify: ({ signingInput, signature }) => equalTexts(hmac(signingInput), signature),
    publicJwk: null,
  }
}

/** The halves of a key pair, imported by jose. */
export interface KeyPair {
  readonly publicKey: CryptoKey
  /** `null`: only the public one is known. */
  readonly privateKey: CryptoKey | null
  readonly publicJwk: Jwks['keys'][number]
  /** The members of both halves; `null` as `privateKey` is. */
  readonly privateJwk: object | null
}

/** Signatures on a curve by the runtime if it is synchronous there (see docs/decisions/jose.md), else by jose. */
export function createKeyPairOperations(jose: Jose, algorithm: JwtAlgorithm, pair: KeyPair): KeyOperations {
  const { privateKey, publicKey, publicJwk } = pair
  const sign = createCurveSign(algorithm, pair) ?? (privateKey && signWith(jose, privateKey))
  return { sign, verify: verifyWith(jose, algorithm, publicKey), publicJwk }
}

function createCurveSign(algorithm: JwtAlgorithm, { privateJwk }: KeyPair): KeyOperations['sign'] {
  const sign = privateJwk && isNativeSignature(algorithm) ? createNativeSign(algorithm, privateJwk) : null
  return sign && signAtOnce((signingInput) => encodeSignature(sign(encodeText(signingInput))))
}

/** Writes the compact form (RFC 7515 §3.1). Errors are rejections. */
function signAtOnce(signatureOf: (signingInput: string) => string): NonNullable<KeyOperations['sign']> {
  let last: { readonly header: SignedHeader; readonly segment: string } | null = null
  return async (header, payload) => {
    // A signer has one header for each key: it is written once.
    if (last?.header.typ !== header.typ || last.header.kid !== header.kid) {
      last = { header, segment: encodeSegment(JSON.stringify(header)) }
    }
    const signingInput = `${last.segment}.${encodeSegment(payload)}`
    return `${signingInput}.${signatureOf(signingInput)}`
  }
}

function signWith({ CompactSign }: Jose, key: JoseKey): NonNullable<KeyOperations['sign']> {
  return (header, payload) => new CompactSign(encoder.encode(payload)).setProtectedHeader({ ...header }).sign(key)
}

function verifyWith(
  { compactVerify, JWSSignatureVerificationFailed }: Jose,
  algorithm: JwtAlgorithm,
  key: JoseKey,
): KeyOperations['verify'] {
  /** A wrong signature is a verdict, anything else is a failure of the platform. */
  const falseIfForged = (error: unknown): false => {
    if (error instanceof JWSSignatureVerificationFailed) return false
    throw error
  }
  return ({ text }) => compactVerify(text, key, { algorithms: [algorithm] }).then(() => true, falseIfForged)
}
