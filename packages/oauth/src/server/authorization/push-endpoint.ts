import type { HttpRequest, HttpResponse } from '@latchkey/http'
import type { Endpoint } from '../context/endpoint.ts'
import { refuseFlood } from '../context/room-left.ts'
import type { MetadataClientDocument } from '../metadata-clients/metadata-client-reader.ts'
import { type Parameters, parametersFrom } from '../parameters/parameters.ts'
import { refuse } from '../responses/refusal.ts'
import { checkClient } from '../tokens/check-client.ts'
import { readPostedForm } from '../tokens/posted-form.ts'
import { readProvenKey } from '../tokens/proven-key.ts'
import { documentShape } from '../unregistered/allowed-documents.ts'
import { type AuthorizationParts, pushedSeconds } from './authorization-parts.ts'
import { checkRequest } from './check-request.ts'
import { documentParameter, identifyRedirect, pushedPrefix } from './identify-client.ts'

const path = '/par'

/** Pushed authorization requests (RFC 9126). */
export function createPushEndpoint(parts: AuthorizationParts): Endpoint {
  return { path, methods: ['POST'], answer: (_context, request) => answer(parts, request) }
}

async function answer(parts: AuthorizationParts, request: HttpRequest): Promise<HttpResponse> {
  const { responses } = parts
  const posted = await readPostedForm(request)
  if (!posted.ok) return responses.refusal(posted)
  const authenticated = await checkClient(parts, request, posted.form, { begins: true })
  if (!authenticated.ok) return authenticated.response
  if (posted.form.names.includes('request_uri')) {
    return responses.refusal(refuse('invalid_request', '"request_uri" is not allowed in a pushed request.'))
  }
  const flood = await refuseFlood(parts, request, authenticated.client)
  if (flood) return flood
  // A proof can name the key too (RFC 9449 §10.1).
  const proven = await readProvenKey(parts, request, path)
  if (!proven.ok) return responses.refusal(proven)
  const { client, document } = authenticated
  // The authenticated client is the client of the request. Its credentials are not stored.
  const own = posted.form.entries.filter(
    ([name]) => name !== 'client_id' && !/^client_(?:secret|assertion|document)/.test(name),
  )
  const asked = identifyRedirect({ client, document }, parametersFrom([...own, ['client_id', client.id]]))
  if (!asked.ok) return responses.refusal(asked)
  const checked = await checkRequest(parts, asked)
  if (!checked.ok) return responses.refusal(checked)
  const { keyBinding } = checked.request
  if (keyBinding !== null && proven.keyBinding !== null && keyBinding !== proven.keyBinding) {
    return responses.refusal(refuse('invalid_dpop_proof', '"dpop_jkt" does not match the key of the DPoP proof.'))
  }
  const kept = withDocument(parts, withKey(asked.parameters, proven.keyBinding), document)
  const requestUri = `${pushedPrefix}${await parts.pushed.keep(kept)}`
  return responses.json(201, { request_uri: requestUri, expires_in: pushedSeconds })
}

/** Binds a request that was pushed with a proof to the key of the proof. */
function withKey(pushed: Parameters, keyBinding: string | null): Parameters {
  if (keyBinding === null || pushed.get('dpop_jkt') !== null) return pushed
  return parametersFrom([...pushed.entries, ['dpop_jkt', keyBinding]])
}

/** Stores the client's document with the request, so that it is not fetched again for the browser. */
function withDocument(
  { storedVersion }: AuthorizationParts,
  pushed: Parameters,
  document: MetadataClientDocument | null,
): Parameters {
  if (!document) return pushed
  return parametersFrom([...pushed.entries, [documentParameter, documentShape.format(document, storedVersion())]])
}
