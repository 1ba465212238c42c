import { encodeBase64url, equalBytes } from '@latchkey/bytes'
import { JWSSignatureVerificationFailed } from 'jose/errors'
import { CompactSign } from 'jose/jws/compact/sign'
import { compactVerify } from 'jose/jws/compact/verify'
import type { JwtAlgorithm } from './algorithm.ts'
import type { KeyOperations, PublicJwk } from './jwt-key.ts'
import { createNativeHmac } from './native-crypto.ts'

type JoseKey = CryptoKey | Uint8Array

const encoder = new TextEncoder()

/** HMAC where the runtime has it synchronously (see docs/decisions/jose.md), else through the library. */
export function createHmacOperations(bytes: Uint8Array): KeyOperations {
  const hmac = createNativeHmac(bytes)
  if (!hmac) return { sign: signWith(bytes), verify: verifyWith('HS256', bytes), publicJwk: null }
  return {
    async sign(header, payload) {
      const signingInput = `${encodeText(JSON.stringify(header))}.${encodeText(payload)}`
      return `${signingInput}.${encodeBase64url(hmac(signingInput))}`
    },
    verify: ({ signingInput, signature }) => equalBytes(hmac(signingInput), signature),
    publicJwk: null,
  }
}

export function createKeyPairOperations(
  algorithm: JwtAlgorithm,
  keys: { readonly privateKey: JoseKey | null; readonly publicKey: JoseKey; readonly publicJwk: PublicJwk },
): KeyOperations {
  const { privateKey, publicKey, publicJwk } = keys
  return { sign: privateKey && signWith(privateKey), verify: verifyWith(algorithm, publicKey), publicJwk }
}

function signWith(key: JoseKey): NonNullable<KeyOperations['sign']> {
  return (header, payload) => new CompactSign(encoder.encode(payload)).setProtectedHeader({ ...header }).sign(key)
}

function verifyWith(algorithm: JwtAlgorithm, key: JoseKey): KeyOperations['verify'] {
  return ({ text }) => compactVerify(text, key, { algorithms: [algorithm] }).then(() => true, falseIfForged)
}

/** A wrong signature is a verdict, anything else a failure of the platform. */
function falseIfForged(error: unknown): false {
  if (error instanceof JWSSignatureVerificationFailed) return false
  throw error
}

function encodeText(text: string): string {
  return encodeBase64url(encoder.encode(text))
}
