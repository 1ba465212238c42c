import type { RegisteredClient } from '../clients/registered-client.ts'
import type { ServerContext } from '../context/server-context.ts'
import type { Parameters } from '../parameters/parameters.ts'
import { parseScope } from '../parameters/scope.ts'
import { type Refusal, refuse } from '../responses/refusal.ts'

/** Returns the scopes of a request within what it may have, which is all of it where it names none: it never widens. */
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

/** Returns what was allowed, as far as there is such a scope and the client may ask for it now. */
export function scopesNow(
  { scopes: known }: Pick<ServerContext, 'scopes'>,
  { scopes: asked }: Pick<RegisteredClient, 'scopes'>,
  allowed: readonly string[],
): readonly string[] {
  return allowed.filter((scope) => known.has(scope) && asked.includes(scope))
}
