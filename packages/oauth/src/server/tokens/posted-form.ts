import type { HttpRequest } from '@latchkey/http'
import type { Parameters } from '../parameters/parameters.ts'
import { hasQuery, readForm } from '../parameters/read-request.ts'
import { type Refusal, refuse } from '../responses/refusal.ts'

/** The parameters of the endpoints to which clients post. Only `resource` may be sent more than once. */
const known: ReadonlySet<string> = new Set([
  'grant_type',
  'code',
  'redirect_uri',
  'code_verifier',
  'refresh_token',
  'device_code',
  'scope',
  'client_id',
  'client_secret',
  'client_assertion',
  'client_assertion_type',
  'token',
  'token_type_hint',
])

/**
 * Returns the posted form of a client, or the broken rule. Parameters must not be in the URL, because logs contain it.
 */
export async function readPostedForm(
  request: HttpRequest,
): Promise<{ readonly ok: true; readonly form: Parameters } | Refusal> {
  if (hasQuery(request)) return refuse('invalid_request', 'Send parameters in the request body, not in the URL.')
  const form = await readForm(request)
  if (!form) return refuse('invalid_request', 'The request body must be application/x-www-form-urlencoded.')
  const repeated = form.names.some((name) => form.isRepeated(name) && known.has(name))
  return repeated ? refuse('invalid_request', 'A parameter was sent more than once.') : { ok: true, form }
}
