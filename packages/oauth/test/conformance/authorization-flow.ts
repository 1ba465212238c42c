import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose'
import { issuer } from '../support/provider.ts'
import type { Holds } from './conformance-module.ts'
import { type Arrival, type Client, callback, first, type Json, type ProviderUnderTest } from './provider-under-test.ts'

/** What every module judges that completes a flow. */
export const flowConditions = {
  code: 'the callback has a code, the state that was sent and the issuer, and no error',
  token: 'the token endpoint answers 200 with a Bearer access token of a stated lifetime and an id token',
  idToken: 'the id token has a kid, is signed by that published key, and has iss, sub, aud, exp and iat',
  nonce: 'the id token has the nonce that was sent',
  resource: 'the access token opens the userinfo endpoint',
} as const

export const flow: readonly string[] = Object.values(flowConditions)

export type Changes = Readonly<Record<string, string | null>>

/** What a flow gave. */
export interface Completed {
  readonly tokens: Readonly<Record<string, unknown>>
  readonly claims: JWTPayload
  readonly userinfo: Json
  /** The form that was sent to the token endpoint, to be sent again. */
  readonly form: Readonly<Record<string, string>>
}

/** The path of an authorization request, with changes; `null` leaves a parameter out. PKCE is asked of every client. */
export function requestOf({ challenge }: ProviderUnderTest, { id }: Client, changes: Changes = {}): string {
  const sent = {
    ...{ client_id: id, redirect_uri: callback, scope: 'openid', state: 'state-1', nonce: 'nonce-1' },
    ...{ response_type: 'code', code_challenge: challenge, code_challenge_method: 'S256', ...changes },
  }
  const entries = Object.entries(sent).filter((entry): entry is [string, string] => entry[1] !== null)
  return `/authorize?${new URLSearchParams(entries)}`
}

export function authenticate({ id, secret, method }: Client, form: Readonly<Record<string, string>>): RequestInit {
  if (method === 'client_secret_post') {
    return { method: 'POST', body: new URLSearchParams({ ...form, client_id: id, client_secret: secret }) }
  }
  return {
    method: 'POST',
    body: new URLSearchParams(form),
    headers: { authorization: `Basic ${btoa(`${id}:${secret}`)}` },
  }
}

/** An answer of the authorization endpoint with an error, whatever it is for. */
export function judgeError(
  holds: Holds,
  condition: string,
  arrival: Arrival,
  errors: readonly string[],
  state = 'state-1',
) {
  const { error = '', code, ...answer } = arrival.at === 'client' ? arrival.answer : {}
  const isComplete = code === undefined && answer.state === state && answer.iss === issuer
  holds(condition, arrival.at === 'client' && isComplete && errors.includes(error))
}

export interface FlowOptions {
  readonly client?: Client
  readonly changes?: Changes
  /** How the browser sends the request. */
  readonly arrive?: (path: string) => Promise<Arrival>
}

/** Completes a flow and judges all that every flow must have. */
export async function completeFlow(
  provider: ProviderUnderTest,
  holds: Holds,
  { client = first, changes = {}, arrive = (path) => provider.browse(path) }: FlowOptions = {},
): Promise<Completed> {
  const arrival = await arrive(requestOf(provider, client, changes))
  const answer = arrival.at === 'client' ? arrival.answer : {}
  const isAnswered = Boolean(answer.code) && answer.state === 'state-1' && answer.iss === issuer
  holds(flowConditions.code, isAnswered && answer.error === undefined)
  const form = {
    ...{ grant_type: 'authorization_code', code: answer.code ?? '', redirect_uri: callback },
    code_verifier: provider.verifier,
  }
  const { status, body: tokens } = await provider.json('/token', authenticate(client, form))
  const { access_token: access, id_token: idToken, token_type: type, expires_in: lifetime } = tokens
  const isGiven = status === 200 && typeof access === 'string' && typeof idToken === 'string'
  holds(flowConditions.token, isGiven && String(type).toLowerCase() === 'bearer' && Number(lifetime) > 0)
  const claims = await judgeIdToken(provider, holds, { idToken: String(idToken), client })
  const { nonce = 'nonce-1' } = changes
  holds(flowConditions.nonce, (claims.nonce ?? null) === nonce)
  const userinfo = await provider.json('/userinfo', { headers: { authorization: `Bearer ${access}` } })
  holds(flowConditions.resource, userinfo.status === 200)
  return { tokens, claims, userinfo, form }
}

interface GivenIdToken {
  readonly idToken: string
  readonly client: Client
}

/** OpenID Connect Core §3.1.3.7, and §10.1 for the key. */
export async function judgeIdToken(
  provider: ProviderUnderTest,
  holds: Holds,
  { idToken, client }: GivenIdToken,
): Promise<JWTPayload> {
  const keys = (await provider.json('/jwks')).body as unknown as JSONWebKeySet
  const claims = await verify(provider, idToken, { keys, client })
  holds(flowConditions.idToken, claims !== null)
  return claims ?? {}
}

async function verify(
  provider: ProviderUnderTest,
  idToken: string,
  { keys, client }: { readonly keys: JSONWebKeySet; readonly client: Client },
): Promise<JWTPayload | null> {
  try {
    if (!decodeProtectedHeader(idToken).kid) return null
    const { payload } = await jwtVerify(idToken, createLocalJWKSet(keys), {
      ...{ issuer, audience: client.id, algorithms: ['RS256', 'ES256', 'EdDSA', 'PS256'] },
      currentDate: new Date(provider.now()),
      requiredClaims: ['sub', 'exp', 'iat'],
    })
    return payload
  } catch {
    return null
  }
}
