import type { VerifiedClaims } from '@latchkey/jwt'

declare const verified: unique symbol

/** An access token that has passed every check. Only a verifier of this package creates one. */
export interface AccessToken {
  readonly [verified]: 'access token'
  /** Its `jti`. */
  readonly id: string
  /** The account; for a token that a client was given for itself, the client. */
  readonly subject: string
  readonly clientId: string
  /** What it may be used for. */
  readonly scopes: readonly string[]
  /** The resource that it is for. */
  readonly audience: string
  /** The family that it belongs to (`sid`), with which it ends; `null`: a client was given it for itself. */
  readonly familyKey: string | null
  /** The thumbprint of the key that it is bound to (`cnf.jkt`); `null`: to none. */
  readonly keyBinding: string | null
  /** Epoch milliseconds, as `expiresAt`. */
  readonly issuedAt: number
  readonly expiresAt: number
  readonly claims: VerifiedClaims
}

/** The `typ` of access tokens (RFC 9068 §2.1). */
export const accessTokenType = 'at+jwt'

/**
 * Returns the token of claims that a verifier has accepted, or `null` where they are not those of an access token: a
 * token of an account names its family, and one of a client has the client as its subject and no family.
 */
export function toAccessToken(claims: VerifiedClaims): AccessToken | null {
  const { jti, sub, aud, sid = null, client_id: clientId, scope = '', iat, exp } = claims
  const keyBinding = readKeyBinding(claims.cnf)
  if (jti === undefined || typeof aud !== 'string' || typeof scope !== 'string' || keyBinding === undefined) return null
  if (typeof clientId !== 'string' || clientId === '' || (sid === null) !== (sub === clientId)) return null
  const scopes = scope === '' ? [] : scope.split(' ')
  const times = { issuedAt: iat * 1000, expiresAt: exp * 1000 }
  const token = { id: jti, subject: sub, clientId, scopes, audience: aud, familyKey: sid, keyBinding, ...times, claims }
  return token as unknown as AccessToken
}

/** Returns the thumbprint, `null` for none, and `undefined` for a binding of another kind, which is not understood. */
function readKeyBinding(cnf: unknown): string | null | undefined {
  if (cnf === undefined) return null
  if (typeof cnf !== 'object' || cnf === null || Object.keys(cnf).length !== 1) return undefined
  const { jkt } = cnf as { readonly jkt?: unknown }
  return typeof jkt === 'string' && jkt !== '' ? jkt : undefined
}
