import type { RegisteredClient } from '../clients/registered-client.ts'
import type { ServerContext } from '../context/server-context.ts'
import type { Parameters } from '../parameters/parameters.ts'
import { parseScope } from '../parameters/scope.ts'
import { type Refusal, refuse } from '../responses/refusal.ts'

/**
 * Returns the requested scopes that are allowed; without requested scopes, all allowed scopes. A request cannot add
 * scopes.
 */
export function narrowScope(
  form: Parameters,
  allowed: readonly string[],
): { readonly ok: true; readonly scopes: readonly string[] } | Refusal {
  const text = form.get('scope')
  const scopes = text === null ? allowed : parseScope(text)
  if (!scopes?.every((scope) => allowed.includes(scope))) {
    return refuse('invalid_scope', '"scope" is malformed or contains a scope that is not allowed here.')
  }
  return { ok: true, scopes }
}

/** Returns the allowed scopes that still exist and that the client may still request. */
export function scopesNow(
  { scopes: known }: Pick<ServerContext, 'scopes'>,
  { scopes: asked }: Pick<RegisteredClient, 'scopes'>,
  allowed: readonly string[],
): readonly string[] {
  return allowed.filter((scope) => known.has(scope) && asked.includes(scope))
}
