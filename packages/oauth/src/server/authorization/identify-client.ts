import type { HttpRequest } from '@latchkey/http'
import type { AuthorizationRequest } from '../checks/authorization-request.ts'
import type { Asked } from '../checks/check.ts'
import { isRedirectUriOf } from '../clients/redirect-uri.ts'
import type { RegisteredClient } from '../clients/registered-client.ts'
import type { ServerContext } from '../context/server-context.ts'
import { refuseBegun } from '../context/unregistered-clients.ts'
import type { Parameters } from '../parameters/parameters.ts'
import { type Refusal, refuse } from '../responses/refusal.ts'
import { documentShape } from '../unregistered/allowed-documents.ts'
import type { AuthorizationParts } from './authorization-parts.ts'

/** The prefix of each `request_uri` of this server (RFC 9126 §2.2). */
export const pushedPrefix = 'urn:ietf:params:oauth:request_uri:'

/** The parameter that stores the document of a client with its pushed request. Clients cannot set it. */
export const documentParameter = 'client_document'

/** The client of the request. */
type Asking = Pick<Asked, 'client' | 'document'>

/** The client and its redirect. Until both are known, a refusal is shown to the user. */
export async function identifyClient(
  parts: AuthorizationParts,
  browser: HttpRequest,
  parameters: Parameters,
): Promise<({ readonly ok: true } & Asked) | Refusal> {
  const isPushed = parameters.names.includes('request_uri')
  const pushed = isPushed ? await readPushed(parts, parameters) : null
  const asking = await findAsking(parts, browser, parameters, pushed)
  if ('ok' in asking) return asking
  if (!isPushed) return identifyRedirect(asking, parameters)
  const taken = pushed && (await parts.pushed.consume(pushed.credential))
  return taken ? identifyRedirect(asking, taken) : unknownRequest
}

const unknownRequest = refuse('invalid_request_uri', '"request_uri" is unknown, expired or already used.')

async function findAsking(
  parts: AuthorizationParts,
  browser: HttpRequest,
  parameters: Parameters,
  pushed: Pushed | null,
): Promise<Asking | Refusal> {
  const id = parameters.get('client_id')
  const { metadataClients } = parts
  if (!metadataClients?.isMeant(id)) {
    const client = await parts.clients.find(id)
    if (client) return { client, document: null }
    return refuse('invalid_request', '"client_id" must be sent once and identify a registered client.')
  }
  if (parameters.names.includes('request_uri') && !pushed) return unknownRequest
  const begun = pushed ? await resumeBegun(parts, pushed) : await metadataClients.begin(id, parts.addressOf(browser))
  return begun.kind === 'client' ? begun : refuseBegun(begun)
}

/** Returns the client of a pushed request by its stored document, without another fetch. */
async function resumeBegun({ metadataClients }: AuthorizationParts, { parameters }: Pushed) {
  const document = documentShape.parse(parameters.get(documentParameter) ?? '')
  const client = (await metadataClients?.of(document)) ?? null
  return client ? { kind: 'client' as const, client, document } : { kind: 'unreadable' as const }
}

/** Returns the redirect for a response to a client, or the reason for a refusal. */
export function identifyRedirect(asking: Asking, parameters: Parameters): ({ readonly ok: true } & Asked) | Refusal {
  const redirectUri = parameters.get('redirect_uri')
  return redirectUri !== null && isRedirectUriOf(asking.client, redirectUri)
    ? { ok: true, parameters, ...asking, redirectUri }
    : refuse('invalid_request', '"redirect_uri" must be sent once and be registered for the client.')
}

/** Whether a client may still make its request: its registration may have changed during the consent. */
function mayStillAsk(
  client: RegisteredClient,
  { redirectUri, scopes }: Pick<AuthorizationRequest, 'redirectUri' | 'scopes'>,
): boolean {
  return isRedirectUriOf(client, redirectUri) && scopes.every((scope) => client.scopes.includes(scope))
}

/** Returns the client of a request that waited; `null`: it may no longer make the request. */
export async function findStillAsking(
  { clients, metadataClients }: Pick<ServerContext, 'clients' | 'metadataClients'>,
  request: AuthorizationRequest,
): Promise<RegisteredClient | null> {
  const { clientId, document } = request
  const client = await (document ? (metadataClients?.of(document) ?? null) : clients.find(clientId))
  return client && mayStillAsk(client, request) ? client : null
}

interface Pushed {
  readonly credential: string
  readonly parameters: Parameters
}

/** Returns a pushed request of the client. Only the pushed parameters count (RFC 9126 §4). */
async function readPushed({ pushed }: AuthorizationParts, parameters: Parameters): Promise<Pushed | null> {
  const requestUri = parameters.get('request_uri')
  if (!requestUri?.startsWith(pushedPrefix)) return null
  const credential = requestUri.slice(pushedPrefix.length)
  const found = await pushed.read(credential)
  const clientId = parameters.get('client_id')
  return found && clientId !== null && found.get('client_id') === clientId ? { credential, parameters: found } : null
}
