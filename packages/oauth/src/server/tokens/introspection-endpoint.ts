import type { RefreshFamily } from '@latchkey/sessions'
import { isPublicClient, type RegisteredClient } from '../clients/registered-client.ts'
import type { Endpoint } from '../context/endpoint.ts'
import type { ServerContext } from '../context/server-context.ts'
import { isRefreshable } from '../grant-types/new-family.ts'
import { findSessionEnd } from '../grant-types/online-session.ts'
import { scopesNow } from '../grant-types/scope.ts'
import { type ActiveToken, isAlive, readLivingToken } from '../issuing/access-tokens.ts'
import { refuse } from '../responses/refusal.ts'
import { checkClient } from './check-client.ts'
import { readPostedForm } from './posted-form.ts'

/**
 * The response for a token that is not valid, has expired, or belongs to another client (RFC 7662 §2.2): no details.
 */
const inactive = { active: false }

/** `POST /introspect` (RFC 7662), for authenticated clients and their own tokens. */
export const introspectionEndpoint: Endpoint = {
  path: '/introspect',
  methods: ['POST'],
  async answer(context, request) {
    const { responses } = context
    const posted = await readPostedForm(request)
    if (!posted.ok) return responses.refusal(posted)
    const checked = await checkClient(context, request, posted.form)
    if (!checked.ok) return checked.response
    const { client } = checked
    // A stranger can name a public client, and could try tokens until one is valid (RFC 7662 §4).
    if (isPublicClient(client)) {
      return responses.refusal(
        refuse('unauthorized_client', 'Clients without authentication are not allowed to introspect tokens.'),
      )
    }
    const token = posted.form.get('token')
    if (token === null) return responses.refusal(refuse('invalid_request', '"token" is required.'))
    return responses.json(200, (await describe(context, client, token)) ?? inactive)
  },
}

async function describe(context: ServerContext, client: RegisteredClient, text: string): Promise<object | null> {
  const living = await readLivingToken(context, text)
  if (living) return living.token.clientId === client.id ? describeAccessToken(context, living) : null
  const family = await findRefreshable(context, client, text)
  return family && describeFamily(context, family)
}

function describeAccessToken({ issuer }: ServerContext, { token }: ActiveToken): object {
  const { clientId, subject, scopes, audience, id, claims, keyBinding } = token
  return {
    active: true,
    token_type: keyBinding === null ? 'Bearer' : 'DPoP',
    iss: issuer,
    sub: subject,
    aud: audience,
    client_id: clientId,
    scope: scopes.join(' '),
    iat: claims.iat,
    exp: claims.exp,
    jti: id,
    ...confirmation(keyBinding),
  }
}

/**
 * Returns the family of a refresh token that the client could use now; `null`: the token is not valid.
 */
async function findRefreshable(
  context: ServerContext,
  client: RegisteredClient,
  text: string,
): Promise<RefreshFamily | null> {
  const family = await context.refreshTokens.identify(text, { redeemable: true })
  if (family?.clientId !== client.id) return null
  const scopes = scopesNow(context, client, family.scopes ?? [])
  if (!isRefreshable(scopes) || !(await isAlive(context, family))) return null
  const isInSession = (await findSessionEnd(context, { ...family, scopes }, { isUse: false })) !== null
  return isInSession ? { ...family, scopes } : null
}

function describeFamily({ issuer }: ServerContext, family: RefreshFamily): object {
  const { clientId, subject, scopes, createdAt, expiresAt, keyBinding } = family
  return {
    active: true,
    iss: issuer,
    sub: subject,
    client_id: clientId,
    scope: (scopes ?? []).join(' '),
    iat: Math.floor(createdAt / 1000),
    exp: Math.floor(expiresAt / 1000),
    ...confirmation(keyBinding),
  }
}

function confirmation(keyBinding: string | null): object {
  return keyBinding === null ? {} : { cnf: { jkt: keyBinding } }
}
