import { encodeBase64url } from '@latchkey/bytes'
import { decodeCredentialPublicKey } from '@simplewebauthn/server/helpers'
import { isDerSignature } from './ecdsa-signature.ts'

/** An algorithm of passkeys, by its name in JOSE. */
export type PasskeyAlgorithm = 'ES256' | 'RS256' | 'EdDSA'

/** A public key as CBOR has it: by the numbers of COSE (RFC 9053). */
export type CoseKey = ReadonlyMap<unknown, unknown>

interface Algorithm {
  /** Its number in COSE. */
  readonly cose: number
  /** Returns the key for Web Crypto, or `null` when it is not one of this algorithm. */
  toJwk(key: CoseKey): PublicJwk | null
  readonly importedAs: ImportParameters
}

// What Web Crypto takes, without its global types: those are not there for everyone who installs this package.

/** RFC 7517. */
interface PublicJwk {
  readonly kty: string
  readonly crv?: string
  readonly x?: string
  readonly y?: string
  readonly n?: string
  readonly e?: string
}

interface ImportParameters {
  readonly name: string
  readonly namedCurve?: string
  readonly hash?: string
}

const kty = 1
const rsaModulusBits = { least: 2048, most: 8192 }

export const passkeyAlgorithms: Readonly<Record<PasskeyAlgorithm, Algorithm>> = {
  ES256: {
    cose: -7,
    toJwk(key) {
      const [x, y] = [bytesAt(key, -2), bytesAt(key, -3)]
      if (key.get(kty) !== 2 || key.get(-1) !== 1 || x?.length !== 32 || y?.length !== 32) return null
      return { kty: 'EC', crv: 'P-256', x: encodeBase64url(x), y: encodeBase64url(y) }
    },
    importedAs: { name: 'ECDSA', namedCurve: 'P-256' },
  },
  RS256: {
    cose: -257,
    toJwk(key) {
      const [n, e] = [bytesAt(key, -1), bytesAt(key, -2)]
      if (key.get(kty) !== 3 || !n || !e || encodeBase64url(e) !== 'AQAB') return null
      const bits = bitsOf(n)
      if (bits < rsaModulusBits.least || bits > rsaModulusBits.most) return null
      return { kty: 'RSA', n: encodeBase64url(n), e: 'AQAB' }
    },
    importedAs: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
  },
  EdDSA: {
    cose: -8,
    toJwk(key) {
      const x = bytesAt(key, -2)
      if (key.get(kty) !== 1 || key.get(-1) !== 6 || x?.length !== 32) return null
      return { kty: 'OKP', crv: 'Ed25519', x: encodeBase64url(x) }
    },
    importedAs: { name: 'Ed25519' },
  },
}

/** Returns the COSE public key, or `null` for other bytes. */
export function readCoseKey(publicKey: Uint8Array): CoseKey | null {
  try {
    const key: unknown = decodeCredentialPublicKey(new Uint8Array(publicKey))
    return key instanceof Map ? key : null
  } catch {
    return null
  }
}

/**
 * Returns whether a public key has one of these algorithms, the shape of that algorithm, and values that the platform
 * accepts. An attestation of the form `none` proves none of this, and the stored key is trusted from then on.
 */
export async function isKeyOf(algorithms: readonly PasskeyAlgorithm[], key: CoseKey): Promise<boolean> {
  const name = algorithms.find((candidate) => passkeyAlgorithms[candidate].cose === key.get(3))
  if (name === undefined) return false
  const { toJwk, importedAs } = passkeyAlgorithms[name]
  const jwk = toJwk(key)
  if (jwk === null) return false
  return crypto.subtle.importKey('jwk', jwk, importedAs, false, ['verify']).then(
    () => true,
    () => false,
  )
}

/** Whether a signature is in the one encoding that its algorithm has. */
export function isCanonical(signature: Uint8Array, key: CoseKey): boolean {
  return key.get(3) !== passkeyAlgorithms.ES256.cose || isDerSignature(signature)
}

export function checkAlgorithms(algorithms: readonly PasskeyAlgorithm[]): readonly PasskeyAlgorithm[] {
  const isList = Array.isArray(algorithms) && algorithms.length > 0
  if (isList && algorithms.every((name) => Object.hasOwn(passkeyAlgorithms, name))) return [...new Set(algorithms)]
  throw new TypeError(`"algorithms" must be a list of at least one of ${Object.keys(passkeyAlgorithms).join(', ')}`)
}

function bytesAt(key: CoseKey, label: number): Uint8Array | null {
  const value = key.get(label)
  return value instanceof Uint8Array ? value : null
}

function bitsOf(bytes: Uint8Array): number {
  const first = bytes[0] ?? 0
  return first === 0 ? 0 : bytes.length * 8 - Math.clz32(first) + 24
}
