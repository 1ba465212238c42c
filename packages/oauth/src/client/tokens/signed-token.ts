import { decodeProtectedHeader } from 'jose/decode/protected_header'
import { createLocalJWKSet } from 'jose/jwks/local'
import { compactVerify } from 'jose/jws/compact/verify'
import { isJsonObject, type JsonMembers } from '../connection/json-object.ts'
import type { ClientContext } from '../context/client-context.ts'
import type { PublishedKeys } from '../metadata/provider-metadata.ts'

/** The reasons for a refused signature, which `IdTokenRefusal` and `LogoutRefusal` include. */
export type SignatureRefusal = 'malformed' | 'type' | 'algorithm' | 'key' | 'signature'

/** A token with the provider's signature. Its claims are unchecked. */
export interface SignedToken {
  readonly algorithm: string
  readonly claims: JsonMembers
  /** The `issuer` of the key: Microsoft has keys for single directories. */
  readonly keyIssuer: string | null
}

/** Large, because providers put groups and roles into id tokens. */
const longest = 65_536
/** Small, because a logout token names a single session and any sender may post it. */
const longestOfLogout = 16_384

/**
 * Returns a token with a valid signature of the provider. For an unknown key the published keys are reloaded, within a
 * cool-down.
 *
 * @param typ in lower case; omitted: `JWT` or absent.
 * @throws OAuthError if the keys cannot be loaded.
 */
export async function readSignedToken(
  { provider, keys }: ClientContext,
  token: string,
  typ?: string,
): Promise<SignedToken | SignatureRefusal> {
  const header = token.length > (typ === undefined ? longest : longestOfLogout) ? null : readHeader(token)
  if (!header) return 'malformed'
  const type = typeof header.typ === 'string' ? header.typ.toLowerCase().replace(/^application\//, '') : header.typ
  if (typ === undefined ? type !== undefined && type !== 'jwt' : type !== typ) return 'type'
  const accepted: readonly string[] = provider.protocol === 'openid' ? provider.idTokenAlgorithms : []
  const { alg } = header
  if (typeof alg !== 'string' || !accepted.includes(alg)) return 'algorithm'
  const found = await verify(token, alg, await keys.current())
  if (found !== 'key') return found
  const renewed = await keys.renewed()
  return renewed ? verify(token, alg, renewed) : 'key'
}

function readHeader(token: string): JsonMembers | null {
  if (!/^[\w-]+\.[\w-]+\.[\w-]*$/.test(token)) return null
  try {
    const header: JsonMembers = { ...decodeProtectedHeader(token) }
    return 'crit' in header || 'b64' in header ? null : header
  } catch {
    return null
  }
}

async function verify(
  token: string,
  algorithm: string,
  { keys }: PublishedKeys,
): Promise<SignedToken | SignatureRefusal> {
  try {
    // A copy: the library adds to keys what it has imported.
    const candidates = createLocalJWKSet({ keys: structuredClone(keys) })
    const { payload, protectedHeader } = await compactVerify(token, candidates, { algorithms: [algorithm] })
    const claims = parseClaims(payload)
    const key = keys.find(({ kid }) => kid !== undefined && kid === protectedHeader.kid)
    return claims ? { algorithm, claims, keyIssuer: typeof key?.issuer === 'string' ? key.issuer : null } : 'malformed'
  } catch (error) {
    // A key that cannot be used is no key.
    return isWrongSignature(error) ? 'signature' : 'key'
  }
}

function isWrongSignature(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED'
}

function parseClaims(payload: Uint8Array): JsonMembers | null {
  try {
    const claims: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload))
    return isJsonObject(claims) ? claims : null
  } catch {
    return null
  }
}
