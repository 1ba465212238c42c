import type { RefreshFamily } from '@latchkey/sessions'
import type { ServerContext } from '../context/server-context.ts'
import { isAlive } from '../issuing/access-tokens.ts'
import { type Refusal, refuse } from '../replies/refusal.ts'
import type { Grant, TokenRequest } from './grant.ts'
import { channel, isOffline } from './new-family.ts'
import { readAudience } from './resource.ts'
import { narrowScope, scopesNow } from './scope.ts'

const invalid = refuse(
  'invalid_grant',
  'The refresh token is invalid, expired, revoked, already used or was issued to another client.',
)

/** The next tokens of a family (RFC 6749 §6). */
export const refreshToken: Grant = async (context, asked) => {
  const { form, client, keyBinding } = asked
  const token = form.get('refresh_token')
  if (token === null) return refuse('invalid_request', '"refresh_token" is required.')
  const identified = await context.refreshTokens.identify(token)
  const refusal = identified && (await familyRefusal(context, identified, asked))
  if (refusal) return refusal
  // A token that is older than the one before is known to this call alone: it ends the family.
  const verdict = await context.refreshTokens.redeem(token, { clientId: client.id, channel, keyBinding })
  if (!verdict.ok) return invalid
  const { family } = verdict
  const scope = narrowScope(form, scopesNow(context, client, family.scopes ?? []))
  const audience = readAudience(context, form, family.resources)
  if (!scope.ok) return scope
  if (!audience.ok) return audience
  return { ok: true, family, refreshToken: verdict.token, scopes: scope.scopes, audience: audience.audience }
}

/** Returns why a family's token may not be used by this request, or `null`. It stays unused. */
async function familyRefusal(
  context: ServerContext,
  family: RefreshFamily,
  { form, client, keyBinding }: TokenRequest,
): Promise<Refusal | null> {
  const allowed = scopesNow(context, client, family.scopes ?? [])
  if (family.clientId !== client.id || !isOffline(allowed)) return invalid
  if (family.keyBinding !== null && family.keyBinding !== keyBinding) {
    return refuse('invalid_grant', 'The refresh token is bound to a key. Send a DPoP proof of that key.')
  }
  const scope = narrowScope(form, allowed)
  if (!scope.ok) return scope
  const audience = readAudience(context, form, family.resources)
  if (!audience.ok) return audience
  return (await isAlive(context, family)) ? null : invalid
}
