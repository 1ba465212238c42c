import { decodeBase64url } from '@latchkey/bytes'
import type { JwtAlgorithm } from '../algorithm.ts'
import { JwtError } from '../errors.ts'
import type { PublicJwk } from './jwt-key.ts'

/** A key of a pair as a JSON Web Key (RFC 7517 §4, RFC 7518 §6), private or public. */
export interface Jwk {
  readonly kty?: string | undefined
  readonly alg?: string | undefined
  readonly use?: string | undefined
  readonly key_ops?: readonly string[] | undefined
  readonly kid?: string | undefined
  readonly ext?: boolean | undefined
  readonly crv?: string | undefined
  readonly n?: string | undefined
  readonly e?: string | undefined
  readonly x?: string | undefined
  readonly y?: string | undefined
  readonly d?: string | undefined
  readonly p?: string | undefined
  readonly q?: string | undefined
  readonly dp?: string | undefined
  readonly dq?: string | undefined
  readonly qi?: string | undefined
}

/** The algorithms of key pairs. */
export type KeyPairAlgorithm = Exclude<JwtAlgorithm, 'HS256'>

/** The members of a JWK that are used, after checking them. Nothing else of it is used. */
export interface CheckedJwk {
  readonly publicJwk: Omit<PublicJwk, 'kid'>
  /** The members that only a private key has; `null` for a public key. */
  readonly privateMembers: Readonly<Record<string, string>> | null
}

const membersByAlgorithm = {
  RS256: {
    kty: 'RSA',
    crv: undefined,
    publicNames: ['n', 'e'],
    privateNames: ['d', 'p', 'q', 'dp', 'dq', 'qi'],
    size: null,
  },
  PS256: {
    kty: 'RSA',
    crv: undefined,
    publicNames: ['n', 'e'],
    privateNames: ['d', 'p', 'q', 'dp', 'dq', 'qi'],
    size: null,
  },
  ES256: { kty: 'EC', crv: 'P-256', publicNames: ['x', 'y'], privateNames: ['d'], size: 32 },
  EdDSA: { kty: 'OKP', crv: 'Ed25519', publicNames: ['x'], privateNames: ['d'], size: 32 },
} as const satisfies Record<KeyPairAlgorithm, object>

/**
 * Returns the key members of a JWK for that algorithm.
 *
 * @throws JwtError naming the broken rule.
 */
export function checkJwk(jwk: Jwk, algorithm: KeyPairAlgorithm): CheckedJwk {
  const { kty, crv, publicNames, privateNames, size } = membersByAlgorithm[algorithm]
  checkPurpose(jwk, algorithm)
  if (jwk.kty !== kty || jwk.crv !== crv)
    throw mismatch(`"jwk" must be a key of kty ${kty} and the curve of ${algorithm}`)
  const publicMembers = readMembers(jwk, publicNames, size)
  if (kty === 'RSA') checkRsaStrength(publicMembers)
  return {
    publicJwk: { kty, alg: algorithm, use: 'sig', ...(crv && { crv }), ...publicMembers },
    privateMembers: jwk.d === undefined ? null : readMembers(jwk, privateNames, size),
  }
}

/** One key, one algorithm, one use (RFC 8725 §3.1): `alg`, `use` and `key_ops` must agree. */
function checkPurpose({ alg, use, key_ops: operations }: Jwk, algorithm: KeyPairAlgorithm): void {
  if (alg !== undefined && alg !== algorithm) throw mismatch(`"jwk" has another "alg" than ${algorithm}`)
  if (use !== undefined && use !== 'sig') throw mismatch('"jwk" has a "use" other than sig')
  if (operations === undefined) return
  if (!Array.isArray(operations) || !operations.some((one) => one === 'sign' || one === 'verify')) {
    throw mismatch('"jwk" has "key_ops" without sign or verify')
  }
}

function readMembers<Name extends keyof Jwk>(
  jwk: Jwk,
  names: readonly Name[],
  size: number | null,
): Record<Name, string> {
  const members = names.map((name) => [name, readMember(jwk[name], name, size)] as const)
  return Object.fromEntries(members) as Record<Name, string>
}

function readMember(value: unknown, name: string, size: number | null): string {
  const bytes = typeof value === 'string' ? decodeBase64url(value) : null
  if (typeof value !== 'string' || !bytes?.length || (size !== null && bytes.length !== size)) {
    throw new JwtError(
      'JWT_KEY_MALFORMED',
      `"jwk": the member "${name}" must be canonical base64url of the right length`,
    )
  }
  return value
}

/** RFC 7518 §3.3: 2048 bits or more; the exponent as FIPS 186-5 §5.4 bounds it below. */
function checkRsaStrength({ n, e }: Readonly<Record<string, string>>): void {
  if (readNumber(n) < 1n << 2047n) throw new JwtError('JWT_KEY_WEAK', '"jwk": an RSA key must have at least 2048 bits')
  const exponent = readNumber(e)
  if (exponent < 65_537n || exponent % 2n === 0n) {
    throw new JwtError('JWT_KEY_WEAK', '"jwk": the RSA exponent must be odd and at least 65537')
  }
}

function readNumber(text = ''): bigint {
  const bytes = decodeBase64url(text) ?? new Uint8Array()
  return bytes.reduce((number, byte) => (number << 8n) | BigInt(byte), 0n)
}

function mismatch(message: string): JwtError {
  return new JwtError('JWT_KEY_MISMATCH', message)
}
