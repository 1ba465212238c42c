import { encodeBase64url, equalBytes } from '@latchkey/bytes'
import type { JwtAlgorithm } from '../algorithm.ts'
import { createNativeHmac } from '../encoding/native-crypto.ts'
import type { KeyOperations, PublicJwk } from './jwt-key.ts'
import { type Jose, loadJose } from './load-jose.ts'

type JoseKey = CryptoKey | Uint8Array

const encoder = new TextEncoder()

/** HMAC by the runtime where it is synchronous (see docs/decisions/jose.md), else by jose. */
export async function createHmacOperations(bytes: Uint8Array): Promise<KeyOperations> {
  const hmac = createNativeHmac(bytes)
  if (!hmac) {
    const jose = await loadJose()
    return { sign: signWith(jose, bytes), verify: verifyWith(jose, 'HS256', bytes), publicJwk: null }
  }
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
  jose: Jose,
  algorithm: JwtAlgorithm,
  keys: { readonly privateKey: JoseKey | null; readonly publicKey: JoseKey; readonly publicJwk: PublicJwk },
): KeyOperations {
  const { privateKey, publicKey, publicJwk } = keys
  return { sign: privateKey && signWith(jose, privateKey), verify: verifyWith(jose, algorithm, publicKey), publicJwk }
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

function encodeText(text: string): string {
  return encodeBase64url(encoder.encode(text))
}
