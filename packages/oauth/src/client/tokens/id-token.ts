import { encodeBase64url } from '@latchkey/bytes'
import {
  type AuthorizationServer,
  type Client,
  processAuthorizationCodeResponse,
  processRefreshTokenResponse,
  type TokenEndpointResponse,
} from 'oauth4webapi'
import { invalidAnswer, isJsonObject, type JsonMembers, readJsonObject } from '../connection/json-object.ts'
import { type ClientContext, toleranceSeconds } from '../context/client-context.ts'
import type { CallbackVerdict, TokenSet } from '../contract/oauth-client.ts'
import type { ProviderMetadata } from '../metadata/provider-metadata.ts'
import type { OpenIdProvider } from '../providers/provider.ts'
import { readSignedToken, type SignedToken } from './signed-token.ts'
import { toTokenSet } from './token-set.ts'

/** The reasons for a refused id token. */
export type IdTokenRefusal = Extract<CallbackVerdict, { readonly reason: 'id-token' }>['detail']

/** The verdict on a response of the token endpoint. `claims`: `null` if a refresh returned no id token. */
export type TokensVerdict =
  | { readonly ok: true; readonly tokens: TokenSet; readonly claims: JsonMembers | null }
  | { readonly ok: false; readonly detail: IdTokenRefusal }

/** The required claims of an id token. */
export type IdTokenExpectation =
  | { readonly of: 'code'; readonly nonce: string; readonly maxAgeSeconds: number | null }
  /** The same user (§12.2). */
  | { readonly of: 'refresh'; readonly issuer: string; readonly subject: string }

/**
 * Verifies a response of the token endpoint, starting with the id token's signature.
 *
 * @throws OAuthError `OAUTH_PROVIDER_INVALID` for another kind of response.
 */
export async function judgeTokens(
  context: ClientContext,
  metadata: ProviderMetadata,
  response: Response,
  expected: IdTokenExpectation,
): Promise<TokensVerdict> {
  const { provider } = context
  const { id_token: idToken } = await readJsonObject(response)
  if (provider.protocol === 'oauth') throw invalidAnswer('this provider has no id tokens')
  if (idToken === undefined) return withoutIdToken(context, metadata, response, expected)
  if (typeof idToken !== 'string') return { ok: false, detail: 'malformed' }
  const signed = await readSignedToken(context, idToken)
  if (typeof signed === 'string') return { ok: false, detail: signed }
  const issuer = issuerOf(provider, signed)
  if (issuer === null) return { ok: false, detail: 'issuer' }
  const client = { ...context.libraryClient(), id_token_signed_response_alg: signed.algorithm }
  const answer = await processClaims({ ...metadata, issuer }, client, response, expected)
  if (typeof answer === 'string') return { ok: false, detail: answer }
  const detail = await furtherRefusal(context, signed, answer.access_token, expected)
  return detail ? { ok: false, detail } : { ok: true, tokens: toTokenSet(answer, context.now()), claims: signed.claims }
}

/** A refresh may return no id token (§12.2). */
async function withoutIdToken(
  context: ClientContext,
  metadata: ProviderMetadata,
  response: Response,
  expected: IdTokenExpectation,
): Promise<TokensVerdict> {
  if (expected.of === 'code') return { ok: false, detail: 'missing' }
  const answer = await processClaims(metadata, context.libraryClient(), response, expected)
  if (typeof answer === 'string') return { ok: false, detail: answer }
  return { ok: true, tokens: toTokenSet(answer, context.now()), claims: null }
}

/** Returns the required `iss`; `null`: no issuer is valid. A key with an issuer signs only for this issuer. */
export function issuerOf(
  { issuer, issuerOf: issuerBy, announcedIssuer }: OpenIdProvider,
  signed: SignedToken,
): string | null {
  if (!issuerBy) return issuer
  const own = issuerBy(signed.claims)
  const { keyIssuer } = signed
  return keyIssuer === null || keyIssuer === own || keyIssuer === announcedIssuer ? own : null
}

/** The library checks types, `iss`, `aud`, `azp` for several audiences, `exp`, `nbf`, `nonce` and `auth_time`. */
async function processClaims(
  server: AuthorizationServer,
  client: Client,
  response: Response,
  expected: IdTokenExpectation,
): Promise<TokenEndpointResponse | IdTokenRefusal> {
  try {
    if (expected.of === 'refresh') return await processRefreshTokenResponse(server, client, response)
    const { nonce, maxAgeSeconds } = expected
    return await processAuthorizationCodeResponse(server, client, response, {
      requireIdToken: true,
      expectedNonce: nonce,
      ...(maxAgeSeconds !== null && { maxAge: maxAgeSeconds }),
    })
  } catch (error) {
    return claimRefusal(error)
  }
}

const claimRefusals: ReadonlyMap<unknown, IdTokenRefusal> = new Map([
  ['iss', 'issuer'],
  ['aud', 'audience'],
  ['azp', 'authorized-party'],
  ['exp', 'expired'],
  ['nbf', 'not-yet-valid'],
  ['nonce', 'nonce'],
  ['auth_time', 'auth-time'],
])

/**
 * Maps an error of the library. The error is never rethrown, because it holds the whole response with its tokens.
 *
 * @throws OAuthError `OAUTH_PROVIDER_INVALID` if the error is not about the id token.
 */
function claimRefusal(error: unknown): IdTokenRefusal {
  const cause = error instanceof Error ? error.cause : null
  if (!isJsonObject(cause) || !('claims' in cause))
    throw invalidAnswer('the token endpoint answers by another protocol')
  return claimRefusals.get(cause.claim) ?? 'claims'
}

/** Checks that the library leaves to its callers. */
async function furtherRefusal(
  { clientId, now }: ClientContext,
  { algorithm, claims }: SignedToken,
  accessToken: string,
  expected: IdTokenExpectation,
): Promise<IdTokenRefusal | null> {
  const { iss, sub, azp, iat, at_hash, auth_time: authTime } = claims
  const latest = now() / 1000 + toleranceSeconds
  if (azp !== undefined && azp !== clientId) return 'authorized-party'
  if (Number(iat) > latest) return 'not-yet-valid'
  if (typeof authTime === 'number' && authTime > latest) return 'auth-time'
  if (!isSubject(sub)) return 'subject'
  if (at_hash !== undefined && at_hash !== (await hashOf(accessToken, algorithm))) return 'access-token-hash'
  if (expected.of === 'code') return null
  return iss === expected.issuer && sub === expected.subject ? null : 'subject'
}

/**
 * Returns whether a value can be `sub` (§2): up to 255 characters. NUL and lone surrogates are refused: stores cannot
 * keep NUL and replace every lone surrogate by the same character, which would merge two users.
 */
export function isSubject(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 255 && /^[^\0\p{Cs}]+$/u.test(value)
}

/** The left half of the digest that belongs to the algorithm (§3.1.3.6): Ed25519 signs with SHA-512. */
async function hashOf(accessToken: string, algorithm: string): Promise<string> {
  const digest = `SHA-${/\d{3}$/.exec(algorithm)?.[0] ?? '512'}`
  const bytes = new Uint8Array(await crypto.subtle.digest(digest, new TextEncoder().encode(accessToken)))
  return encodeBase64url(bytes.subarray(0, bytes.length / 2))
}
