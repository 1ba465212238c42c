import type { AuthorizationRequest } from '../checks/authorization-request.ts'
import type { Asked } from '../checks/check.ts'
import { isRedirectUriOf } from '../clients/redirect-uri.ts'
import type { RegisteredClient } from '../clients/registered-client.ts'
import type { Parameters } from '../parameters/parameters.ts'
import { type Refusal, refuse } from '../responses/refusal.ts'
import type { AuthorizationParts } from './authorization-parts.ts'

/** Of a `request_uri` that was given by this server (RFC 9126 §2.2). */
export const pushedPrefix = 'urn:ietf:params:oauth:request_uri:'

/** Who asks, and where the answer may go. Until that is known a refusal is shown to the user. */
export async function identifyClient(
  parts: AuthorizationParts,
  parameters: Parameters,
): Promise<({ readonly ok: true } & Asked) | Refusal> {
  const client = await parts.clients.find(parameters.get('client_id'))
  if (!client) return refuse('invalid_request', '"client_id" must be sent once and identify a registered client.')
  const asked = parameters.names.includes('request_uri') ? await takePushed(parts, client, parameters) : parameters
  if (!asked) return refuse('invalid_request_uri', '"request_uri" is unknown, expired or already used.')
  return identifyRedirect(client, asked)
}

/** Returns where the answer to a client may go, or why nowhere. */
export function identifyRedirect(
  client: RegisteredClient,
  parameters: Parameters,
): ({ readonly ok: true } & Asked) | Refusal {
  const redirectUri = parameters.get('redirect_uri')
  return redirectUri !== null && isRedirectUriOf(client, redirectUri)
    ? { ok: true, parameters, client, redirectUri }
    : refuse('invalid_request', '"redirect_uri" must be sent once and be registered for the client.')
}

/** Whether a client may still ask for what it asked for: its registration can have changed while its user was asked. */
export function mayStillAsk(
  client: RegisteredClient,
  { redirectUri, scopes }: Pick<AuthorizationRequest, 'redirectUri' | 'scopes'>,
): boolean {
  return isRedirectUriOf(client, redirectUri) && scopes.every((scope) => client.scopes.includes(scope))
}

/** Uses a pushed request up; only what was pushed counts then (RFC 9126 §4). One of another client stays as it is. */
async function takePushed(
  { pushed }: AuthorizationParts,
  client: RegisteredClient,
  parameters: Parameters,
): Promise<Parameters | null> {
  const requestUri = parameters.get('request_uri')
  if (!requestUri?.startsWith(pushedPrefix)) return null
  const credential = requestUri.slice(pushedPrefix.length)
  const found = await pushed.read(credential)
  return found?.get('client_id') === client.id ? pushed.consume(credential) : null
}
