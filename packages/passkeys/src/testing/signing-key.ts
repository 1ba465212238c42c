import { decodeBase64url } from '@latchkey/bytes'
import type { PasskeyAlgorithm } from '../algorithms.ts'
import { concatBytes } from './encode-cbor.ts'

/** A key of an authenticator. */
export interface SigningKey {
  /** Its number in COSE. */
  readonly algorithm: number
  readonly publicKey: ReadonlyMap<number, unknown>
  /** Returns a signature as WebAuthn has it. */
  sign(data: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>>
}

interface Kind {
  readonly algorithm: number
  readonly generated: AlgorithmIdentifier | EcKeyGenParams | RsaHashedKeyGenParams
  readonly signed: AlgorithmIdentifier | EcdsaParams
  toCose(jwk: JsonWebKey): ReadonlyMap<number, unknown>
}

const kinds: Readonly<Record<PasskeyAlgorithm, Kind>> = {
  ES256: {
    algorithm: -7,
    generated: { name: 'ECDSA', namedCurve: 'P-256' },
    signed: { name: 'ECDSA', hash: 'SHA-256' },
    toCose: ({ x, y }) =>
      new Map<number, unknown>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, bytesOf(x)],
        [-3, bytesOf(y)],
      ]),
  },
  RS256: {
    algorithm: -257,
    generated: {
      name: 'RSASSA-PKCS1-v1_5',
      hash: 'SHA-256',
      modulusLength: 2048,
      publicExponent: Uint8Array.of(1, 0, 1),
    },
    signed: 'RSASSA-PKCS1-v1_5',
    toCose: ({ n, e }) =>
      new Map<number, unknown>([
        [1, 3],
        [3, -257],
        [-1, bytesOf(n)],
        [-2, bytesOf(e)],
      ]),
  },
  EdDSA: {
    algorithm: -8,
    generated: 'Ed25519',
    signed: 'Ed25519',
    toCose: ({ x }) =>
      new Map<number, unknown>([
        [1, 1],
        [3, -8],
        [-1, 6],
        [-2, bytesOf(x)],
      ]),
  },
}

/** Returns the algorithm of a number, or `null` when this authenticator does not have it. */
export function algorithmOf(cose: number): PasskeyAlgorithm | null {
  const names = Object.keys(kinds) as PasskeyAlgorithm[]
  return names.find((name) => kinds[name].algorithm === cose) ?? null
}

/** Creates a key of Web Crypto. */
export async function createSigningKey(name: PasskeyAlgorithm): Promise<SigningKey> {
  const { algorithm, generated, signed, toCose } = kinds[name]
  const made = await crypto.subtle.generateKey(generated, true, ['sign', 'verify'])
  if (!('privateKey' in made)) throw new TypeError(`${name} has key pairs`)
  const { privateKey, publicKey } = made
  return {
    algorithm,
    publicKey: toCose(await crypto.subtle.exportKey('jwk', publicKey)),
    async sign(data) {
      const signature = new Uint8Array(await crypto.subtle.sign(signed, privateKey, data))
      return name === 'ES256' ? toDer(signature) : signature
    },
  }
}

/** Web Crypto has the two numbers of ECDSA one after the other, WebAuthn a sequence of ASN.1 (section 6.5.5). */
function toDer(signature: Uint8Array): Uint8Array<ArrayBuffer> {
  const numbers = [signature.subarray(0, 32), signature.subarray(32)].map(toInteger)
  const content = concatBytes(...numbers)
  return concatBytes(Uint8Array.of(0x30, content.length), content)
}

function toInteger(number: Uint8Array): Uint8Array {
  const first = number.findIndex((byte) => byte !== 0)
  const digits = number.subarray(first)
  const sign = (digits[0] ?? 0) > 127 ? Uint8Array.of(0) : new Uint8Array()
  return concatBytes(Uint8Array.of(0x02, sign.length + digits.length), sign, digits)
}

function bytesOf(text: string | undefined): Uint8Array {
  return decodeBase64url(text ?? '') ?? new Uint8Array()
}
