import { ownScopes } from '../context/check-options.ts'
import type { Grant } from './grant.ts'
import { readAudience } from './resource.ts'
import { narrowScope } from './scope.ts'

/** A token for the client itself (RFC 6749 §4.4): no user stands behind it, so it is told nothing about one. */
export const clientCredentials: Grant = async (context, { form, client }) => {
  const allowed = client.scopes.filter((scope) => !ownScopes.includes(scope) && context.scopes.has(scope))
  const scope = narrowScope(form, allowed)
  if (!scope.ok) return scope
  const audience = readAudience(context, form, context.resources)
  if (!audience.ok) return audience
  return { ok: true, family: null, refreshToken: null, scopes: scope.scopes, audience: audience.audience }
}
