import type { JwtAlgorithm } from '../algorithm.ts'
import type { CompactToken } from '../encoding/compact-token.ts'

declare const made: unique symbol

/**
 * A key for exactly one algorithm. Only `generateJwtKey` and `importJwtKey` create one, after checking it; the material
 * is not reachable from the object, so logging or serializing it shows the id and the algorithm only.
 */
export interface JwtKey {
  /** The `kid` in the header of a token (RFC 7515 §4.1.4). */
  readonly id: string
  readonly algorithm: JwtAlgorithm
  /** False for a public key. */
  readonly canSign: boolean
  readonly [made]: true
}

/** A JWK Set (RFC 7517 §5): the public keys that a service publishes so that others can verify its tokens. */
export interface Jwks {
  /** Public keys (RFC 7517 §4), never symmetric ones. */
  readonly keys: readonly {
    readonly kty: 'RSA' | 'EC' | 'OKP'
    readonly kid: string
    readonly alg: Exclude<JwtAlgorithm, 'HS256'>
    readonly use: 'sig'
    readonly n?: string
    readonly e?: string
    readonly crv?: string
    readonly x?: string
    readonly y?: string
  }[]
}

/** The protected header of a token that is signed here. */
export interface SignedHeader {
  readonly alg: JwtAlgorithm
  readonly typ: string
  readonly kid: string
}

/** The operations of a key. Only they can reach its material. */
export interface KeyOperations {
  /** Returns the compact token; `null` for a public key. */
  readonly sign: ((header: SignedHeader, payload: string) => Promise<string>) | null
  readonly verify: (token: CompactToken) => boolean | Promise<boolean>
  /** `null` for a symmetric key. */
  readonly publicJwk: Jwks['keys'][number] | null
}

const operationsByKey = new WeakMap<object, KeyOperations>()

/** Creates a key from checked material. */
export function createJwtKey(id: string, algorithm: JwtAlgorithm, operations: KeyOperations): JwtKey {
  const key = Object.freeze({ id, algorithm, canSign: operations.sign !== null }) as JwtKey
  operationsByKey.set(key, operations)
  return key
}

/**
 * Returns the operations of a key.
 *
 * @throws TypeError for anything that `createJwtKey` did not create.
 */
export function operationsOf(key: JwtKey): KeyOperations {
  const operations = operationsByKey.get(key)
  if (!operations) throw new TypeError('"keys" must hold keys that generateJwtKey or importJwtKey made')
  return operations
}
