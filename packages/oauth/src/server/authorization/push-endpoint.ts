import type { HttpReply, HttpRequest } from '@latchkey/http'
import type { Endpoint } from '../context/endpoint.ts'
import { parametersFrom } from '../parameters/parameters.ts'
import { refuse } from '../replies/refusal.ts'
import { checkClient } from '../tokens/check-client.ts'
import { readPostedForm } from '../tokens/posted-form.ts'
import { type AuthorizationParts, pushedSeconds } from './authorization-parts.ts'
import { checkRequest } from './check-request.ts'
import { identifyRedirect, pushedPrefix } from './identify-client.ts'

/** Pushed authorization requests (RFC 9126). */
export function createPushEndpoint(parts: AuthorizationParts): Endpoint {
  return { path: '/par', methods: ['POST'], answer: (_context, request) => answer(parts, request) }
}

async function answer(parts: AuthorizationParts, request: HttpRequest): Promise<HttpReply> {
  const { replies } = parts
  const posted = await readPostedForm(request)
  if (!posted.ok) return replies.refusal(posted)
  const authenticated = await checkClient(parts, request, posted.form)
  if (!authenticated.ok) return authenticated.reply
  if (posted.form.names.includes('request_uri')) {
    return replies.refusal(refuse('invalid_request', '"request_uri" must not be pushed'))
  }
  const { client } = authenticated
  // Who has authenticated is the client, however it did; what it has shown for that is not kept.
  const own = posted.form.entries.filter(([name]) => name !== 'client_id' && !/^client_(?:secret|assertion)/.test(name))
  const asked = identifyRedirect(client, parametersFrom([...own, ['client_id', client.id]]))
  if (!asked.ok) return replies.refusal(asked)
  const checked = await checkRequest(parts, asked)
  if (!checked.ok) return replies.refusal(checked)
  const requestUri = `${pushedPrefix}${await parts.pushed.keep(asked.parameters)}`
  return replies.json(201, { request_uri: requestUri, expires_in: pushedSeconds })
}
