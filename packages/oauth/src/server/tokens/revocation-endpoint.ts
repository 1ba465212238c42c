import { toAccessToken } from '../../resource/access-token.ts'
import type { RegisteredClient } from '../clients/registered-client.ts'
import type { Endpoint } from '../context/endpoint.ts'
import type { ServerContext } from '../context/server-context.ts'
import { refuse } from '../responses/refusal.ts'
import { checkClient } from './check-client.ts'
import { readPostedForm } from './posted-form.ts'

/** `POST /revoke` (RFC 7009). The status is 200 for every token, so that a client learns nothing about other clients' tokens. */
export const revocationEndpoint: Endpoint = {
  path: '/revoke',
  methods: ['POST'],
  isOpenTo: 'clients',
  async answer(context, request) {
    const { responses } = context
    const posted = await readPostedForm(request)
    if (!posted.ok) return responses.refusal(posted)
    const checked = await checkClient(context, request, posted.form)
    if (!checked.ok) return checked.response
    const token = posted.form.get('token')
    if (token === null) return responses.refusal(refuse('invalid_request', '"token" is required.'))
    // The hint is not needed: refresh tokens and access tokens have different forms.
    const isRefreshToken = await revokeFamily(context, checked.client, token)
    if (!isRefreshToken) await revokeAccessToken(context, checked.client, token)
    return responses.json(200, {})
  },
}

/**
 * Revokes the family of a refresh token, with every access token of it (RFC 7009 §2.1). Returns whether the token was a
 * refresh token.
 */
async function revokeFamily(
  { refreshTokens }: ServerContext,
  client: RegisteredClient,
  token: string,
): Promise<boolean> {
  const family = await refreshTokens.identify(token)
  if (family?.clientId === client.id) await refreshTokens.revoke(family.key)
  return family !== null
}

/** Revokes an access token. */
async function revokeAccessToken(context: ServerContext, client: RegisteredClient, text: string): Promise<void> {
  const verdict = await context.accessTokens.verify(text)
  const token = verdict.ok ? toAccessToken(verdict.claims) : null
  if (token?.clientId === client.id) await context.denyList.denyToken(token.claims)
}
