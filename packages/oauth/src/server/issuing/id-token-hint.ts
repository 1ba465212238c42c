import { decodeBase64url } from '@latchkey/bytes'
import { acceptAnyAudience, createJwtVerifier, type VerifiedClaims } from '@latchkey/jwt'
import type { ServerContext } from '../context/server-context.ts'

/**
 * The claims of an id token of this server, expired or not. They name the account that was signed in, not the current
 * account.
 */
export interface IdTokenHint {
  readonly subject: string
  readonly clientId: string
  /** The public name of the token's session; `null`: the token names no session. */
  readonly sessionKey: string | null
}

/**
 * Returns the claims of an id token of this server; `null`: no key of the server has signed it. Its age does not count: it is
 * verified at its `iat`. A token whose key was removed is refused.
 */
export async function readIdTokenHint(
  { issuer, idTokenKeys }: Pick<ServerContext, 'issuer' | 'idTokenKeys'>,
  hint: string,
): Promise<IdTokenHint | null> {
  const issuedAt = readIssuedAt(hint)
  if (issuedAt === null) return null
  const verifier = createJwtVerifier({
    issuer,
    audience: acceptAnyAudience,
    algorithms: ['ES256', 'EdDSA', 'RS256', 'PS256'],
    keys: idTokenKeys,
    maxCachedTokens: 0,
    now: () => issuedAt * 1000,
  })
  const verdict = await verifier.verify(hint)
  return verdict.ok ? toHint(verdict.claims) : null
}

function toHint({ sub, aud, sid }: VerifiedClaims): IdTokenHint | null {
  return typeof aud === 'string' ? { subject: sub, clientId: aud, sessionKey: sid ?? null } : null
}

/** Reads `iat` of an unverified token: it is only the time at which the signature is verified. */
function readIssuedAt(hint: string): number | null {
  const bytes = hint.length > 8192 ? null : decodeBase64url(hint.split('.')[1] ?? '')
  try {
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes ?? new Uint8Array()))
    const iat = typeof claims === 'object' && claims !== null && 'iat' in claims ? claims.iat : null
    return Number.isSafeInteger(iat) ? (iat as number) : null
  } catch {
    return null
  }
}
