import type { HttpRequest, HttpResponse } from '@latchkey/http'
import type { Endpoint } from '../context/endpoint.ts'
import { readRequestedResources, readRequestedScopes } from '../context/requested-access.ts'
import { refuseFlood } from '../context/room-left.ts'
import type { ServerContext } from '../context/server-context.ts'
import { unregisteredGrant } from '../context/unregistered-clients.ts'
import { deviceCodeSeconds, pollSeconds } from '../grants/device-codes.ts'
import { refuse } from '../responses/refusal.ts'
import { checkClient } from '../tokens/check-client.ts'
import { readPostedForm } from '../tokens/posted-form.ts'

/** The first request of a device without a browser (RFC 8628 §3.1). */
export const deviceAuthorizationEndpoint: Endpoint = { path: '/device_authorization', methods: ['POST'], answer }

async function answer(context: ServerContext, request: HttpRequest): Promise<HttpResponse> {
  const { responses, issuer, pages } = context
  const posted = await readPostedForm(request)
  if (!posted.ok) return responses.refusal(posted)
  if (context.metadataClients?.isMeant(posted.form.get('client_id'))) return responses.refusal(unregisteredGrant)
  const authenticated = await checkClient(context, request, posted.form)
  if (!authenticated.ok) return authenticated.response
  const { client } = authenticated
  if (!client.grantTypes.includes('urn:ietf:params:oauth:grant-type:device_code')) {
    return responses.refusal(
      refuse('unauthorized_client', 'The client is not allowed to use the device authorization grant.'),
    )
  }
  const asked = await readRequestedScopes(context, client, posted.form.get('scope'))
  if ('ok' in asked) return responses.refusal(asked)
  if (asked.scopes.includes('online_access'))
    return responses.refusal(
      refuse('invalid_scope', '"online_access" needs a session of a browser: ask for "offline_access".'),
    )
  const meant = readRequestedResources(context, posted.form.all('resource'))
  if ('ok' in meant) return responses.refusal(meant)
  const flood = await refuseFlood(context, request, client)
  if (flood) return flood
  const { deviceCode, userCode } = await context.deviceCodes.create({ clientId: client.id, ...asked, ...meant })
  const page = `${issuer}${pages.device}`
  return responses.json(200, {
    device_code: deviceCode,
    user_code: userCode,
    verification_uri: page,
    verification_uri_complete: `${page}?${new URLSearchParams({ user_code: userCode })}`,
    expires_in: deviceCodeSeconds,
    interval: pollSeconds,
  })
}
