import type { RegisteredClient } from '../clients/registered-client.ts'
import { parseScope } from '../parameters/scope.ts'
import { type Refusal, refuse } from '../responses/refusal.ts'
import type { ServerContext } from './server-context.ts'

/** Returns the requested scopes. The server knows each scope, and the client may request it. */
export async function readRequestedScopes(
  { scopes: known, idTokenKeys }: Pick<ServerContext, 'scopes' | 'idTokenKeys'>,
  client: RegisteredClient,
  text: string | null,
): Promise<{ readonly scopes: readonly string[] } | Refusal> {
  if (text === null) return refuse('invalid_scope', '"scope" is required.')
  const scopes = parseScope(text)
  if (!scopes?.every((scope) => known.has(scope))) return refuse('invalid_scope', '"scope" contains an unknown scope.')
  if (!scopes.every((scope) => client.scopes.includes(scope)))
    return refuse('invalid_scope', '"scope" contains a scope that the client is not allowed to request.')
  if (scopes.includes('offline_access') && scopes.includes('online_access'))
    return refuse('invalid_scope', '"scope" contains both "offline_access" and "online_access".')
  return (await refuseUnsigned({ idTokenKeys }, client, scopes)) ?? { scopes }
}

/** Refuses `openid` if no key of the server has the client's algorithm for id tokens; `null`: the scopes are accepted. */
export async function refuseUnsigned(
  { idTokenKeys }: Pick<ServerContext, 'idTokenKeys'>,
  client: RegisteredClient,
  scopes: readonly string[],
): Promise<Refusal | null> {
  if (!scopes.includes('openid') || (await idTokenKeys.signsFor(client))) return null
  return refuse(
    'invalid_scope',
    'The server has no key of the algorithm that the client is registered with for id tokens.',
  )
}

/** Returns the requested resources (RFC 8707 §2). */
export function readRequestedResources(
  { resources: known }: Pick<ServerContext, 'resources'>,
  named: readonly string[],
): { readonly resources: readonly string[] } | Refusal {
  const resources = [...new Set(named)]
  return resources.every((resource) => known.includes(resource))
    ? { resources }
    : refuse('invalid_target', '"resource" is not a resource of this server.')
}
