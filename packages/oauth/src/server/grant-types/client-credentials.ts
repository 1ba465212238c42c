import { ownScopes } from '../context/check-options.ts'
import type { Grant } from './grant.ts'
import { readAudience } from './resource.ts'
import { narrowScope } from './scope.ts'

/** Issues a token for the client itself (RFC 6749 §4.4). It belongs to no user and gives access to no data of a user. */
export const clientCredentials: Grant = async (context, { form, client }) => {
  const allowed = client.scopes.filter((scope) => !ownScopes.includes(scope) && context.scopes.has(scope))
  const scope = narrowScope(form, allowed)
  if (!scope.ok) return scope
  const audience = readAudience(context, form, context.resources)
  if (!audience.ok) return audience
  return { ok: true, family: null, refreshToken: null, scopes: scope.scopes, audience: audience.audience }
}
