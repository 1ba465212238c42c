import type { RegisteredClient } from '../clients/registered-client.ts'
import { parseScope } from '../parameters/scope.ts'
import { type Refusal, refuse } from '../responses/refusal.ts'
import type { ServerContext } from './server-context.ts'

/** Returns the scopes that a client asks its user for: each one known, and one that it may ask for. */
export function readRequestedScopes(
  { scopes: known }: Pick<ServerContext, 'scopes'>,
  client: RegisteredClient,
  text: string | null,
): { readonly scopes: readonly string[] } | Refusal {
  if (text === null) return refuse('invalid_scope', '"scope" is required.')
  const scopes = parseScope(text)
  if (!scopes?.every((scope) => known.has(scope))) return refuse('invalid_scope', '"scope" contains an unknown scope.')
  return scopes.every((scope) => client.scopes.includes(scope))
    ? { scopes }
    : refuse('invalid_scope', '"scope" contains a scope that the client is not allowed to request.')
}

/** Returns the resources that a client asks its user for (RFC 8707 §2). */
export function readRequestedResources(
  { resources: known }: Pick<ServerContext, 'resources'>,
  named: readonly string[],
): { readonly resources: readonly string[] } | Refusal {
  const resources = [...new Set(named)]
  return resources.every((resource) => known.includes(resource))
    ? { resources }
    : refuse('invalid_target', '"resource" is not a resource of this server.')
}
