import type { VerifiedClaims } from '@latchkey/jwt'

declare const verified: unique symbol

/** A verified access token. Only a verifier of this package creates it. */
export interface AccessToken {
  readonly [verified]: 'access token'
  /** The `jti`. */
  readonly id: string
  /** The account; the client if the token was issued to the client itself. */
  readonly subject: string
  readonly clientId: string
  readonly scopes: readonly string[]
  /** The resource of the token. */
  readonly audience: string
  /** The token's family (`sid`), with which it is revoked; `null`: issued to the client itself. */
  readonly familyKey: string | null
  /** The thumbprint of the bound key (`cnf.jkt`); `null`: not bound. */
  readonly keyBinding: string | null
  /** Epoch milliseconds, as `expiresAt`. */
  readonly issuedAt: number
  readonly expiresAt: number
  readonly claims: VerifiedClaims
}

/** The `typ` of access tokens (RFC 9068 §2.1). */
export const accessTokenType = 'at+jwt'

/**
 * Returns the access token of verified claims, or `null` for another kind of token. A token of an account names its
 * family; a token of a client has the client as its subject and no family.
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

/** Returns the thumbprint; `null`: not bound; `undefined`: an unsupported binding. */
function readKeyBinding(cnf: unknown): string | null | undefined {
  if (cnf === undefined) return null
  if (typeof cnf !== 'object' || cnf === null || Object.keys(cnf).length !== 1) return undefined
  const { jkt } = cnf as { readonly jkt?: unknown }
  return typeof jkt === 'string' && jkt !== '' ? jkt : undefined
}
