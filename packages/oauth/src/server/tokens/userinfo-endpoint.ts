import type { HttpResponse } from '@latchkey/http'
import { challengesOf } from '../../resource/presented-token.ts'
import type { Endpoint } from '../context/endpoint.ts'
import type { ServerContext } from '../context/server-context.ts'
import type { UserClaims } from '../context/server-options.ts'
import { refuse } from '../responses/refusal.ts'
import { readPresentedToken } from './presented-access-token.ts'

/** `GET` and `POST /userinfo` (OpenID Connect Core §5.3): the claims of the token's scopes. */
export const userinfoEndpoint: Endpoint = {
  path: '/userinfo',
  methods: ['GET', 'POST'],
  isOpenTo: 'clients',
  async answer(context, request) {
    const presented = await readPresentedToken(context, request)
    if (!presented.ok) return refuseToken(context, presented)
    const { scopes, subject, audience } = presented.token
    if (!isForHere(context, audience)) return refuseToken(context, { challenges: challengesOf('token') })
    // A token of `client_credentials` never has `openid`.
    if (!scopes.includes('openid')) return refuseScope(context)
    const claims = await context.claims(subject)
    // The account was removed between the two reads.
    if (!claims) return refuseToken(context, { challenges: ['Bearer error="invalid_token"'] })
    return context.responses.json(200, { sub: subject, ...pick(claims, scopes) })
  },
}

/** Refuses tokens for another API: the API could read the user's claims with them (RFC 9700 §2.3). */
function isForHere({ issuer, resources }: ServerContext, audience: string): boolean {
  return audience === resources[0] || new URL(audience).origin === issuer
}

/** Selects the claims of the scopes (§5.4). Unknown claims are omitted. */
function pick({ name, email, email_verified }: UserClaims, scopes: readonly string[]): UserClaims {
  return {
    ...(scopes.includes('profile') && name !== undefined && { name }),
    ...(scopes.includes('email') && email !== undefined && { email }),
    ...(scopes.includes('email') && email_verified !== undefined && { email_verified }),
  }
}

function refuseToken(
  { responses }: ServerContext,
  { challenges, nonce = null }: { readonly challenges: readonly string[]; readonly nonce?: string | null },
): HttpResponse {
  const headers = challenges.map((challenge): [string, string] => ['WWW-Authenticate', challenge])
  if (nonce !== null) headers.push(['DPoP-Nonce', nonce])
  return responses.refusal(refuse('invalid_token', 'The access token is missing or invalid.'), headers)
}

function refuseScope({ responses }: ServerContext): HttpResponse {
  const headers = [['WWW-Authenticate', 'Bearer error="insufficient_scope", scope="openid"']] as const
  return responses.refusal(refuse('insufficient_scope', 'The access token does not have the scope "openid".'), headers)
}
