import type { GrantType, RegisteredClient } from '../clients/registered-client.ts'
import type { Endpoint } from '../context/endpoint.ts'
import { countStored, findFlood } from '../context/room-left.ts'
import { unregisteredGrant } from '../context/unregistered-clients.ts'
import { authorizationCode } from '../grant-types/authorization-code.ts'
import { clientCredentials } from '../grant-types/client-credentials.ts'
import { deviceCode } from '../grant-types/device-code.ts'
import type { Grant } from '../grant-types/grant.ts'
import { refreshToken } from '../grant-types/refresh-token.ts'
import { answerWith } from '../issuing/token-answer.ts'
import type { Parameters } from '../parameters/parameters.ts'
import { type Refusal, refuse } from '../responses/refusal.ts'
import type { MetadataClients } from '../unregistered/metadata-clients.ts'
import { checkClient } from './check-client.ts'
import { readPostedForm } from './posted-form.ts'
import { readProvenKey } from './proven-key.ts'

/** Every supported grant; the implicit grant and the password grant are not supported. */
const grants: Readonly<Record<GrantType, Grant>> = {
  authorization_code: authorizationCode,
  refresh_token: refreshToken,
  client_credentials: clientCredentials,
  'urn:ietf:params:oauth:grant-type:device_code': deviceCode,
}

const tokenPath = '/token'

/** `POST /token` (RFC 6749 §3.2). */
export const tokenEndpoint: Endpoint = {
  path: tokenPath,
  methods: ['POST'],
  isOpenTo: 'clients',
  async answer(context, request) {
    const { responses, metadataClients } = context
    // 1. The form, without parameters in the address or repetitions.
    const posted = await readPostedForm(request)
    if (!posted.ok) return responses.refusal(posted)
    const { form } = posted
    if (asksForOthers(form, metadataClients)) return responses.refusal(unregisteredGrant)
    // 2. The authentication of the client.
    const checked = await checkClient(context, request, form)
    if (!checked.ok) return checked.response
    const { client } = checked
    // 3. The grant, which must be supported and allowed for this client.
    const grantType = readGrantType(form, client)
    if (!grantType.ok) return responses.refusal(grantType)
    // 4. The proof, if it is sent. The tokens are bound to its key, and it works once.
    const isProven = request.headers.has('dpop')
    const flood = isProven ? await findFlood(context, request, client) : null
    if (flood) return flood
    const proven = await readProvenKey(context, request, tokenPath)
    if (!proven.ok) return responses.refusal(proven)
    const { keyBinding } = proven
    if (client.firstParty && keyBinding === null) return responses.refusal(unproven)
    // 5. The tokens.
    const granted = await grants[grantType.name](context, { request, form, client, keyBinding })
    if (!granted.ok) {
      if (isProven && !isWaiting(granted)) await countStored(context, request, client)
      return responses.refusal(granted)
    }
    const answer = await answerWith(context, granted, { client, keyBinding })
    if (!answer) return responses.refusal(ended)
    context.emit({ type: 'client.served', clientId: client.id, grantType: grantType.name, scopes: granted.scopes })
    return responses.json(200, answer)
  },
}

const unproven = refuse('invalid_dpop_proof', 'The client needs a DPoP proof.')

const ended = refuse('invalid_grant', 'The session of the tokens has ended.')

/** A device that polls for its user's answer has presented its device code. */
function isWaiting({ error }: Refusal): boolean {
  return error === 'authorization_pending' || error === 'slow_down'
}

/** Whether an unregistered client requests a grant for registered clients only, which needs no lookup. */
function asksForOthers(form: Parameters, metadataClients: MetadataClients | null): boolean {
  const grantType = form.get('grant_type') ?? ''
  const isOther = isGrantType(grantType) && grantType !== 'authorization_code' && grantType !== 'refresh_token'
  return isOther && (metadataClients?.isMeant(form.get('client_id')) ?? false)
}

function readGrantType(
  form: Parameters,
  client: RegisteredClient,
): { readonly ok: true; readonly name: GrantType } | Refusal {
  const name = form.get('grant_type')
  if (name === null) return refuse('invalid_request', '"grant_type" is required.')
  if (!isGrantType(name)) return refuse('unsupported_grant_type', '"grant_type" is not supported.')
  if (!client.grantTypes.includes(name))
    return refuse('unauthorized_client', 'The client is not allowed to use this "grant_type".')
  return { ok: true, name }
}

function isGrantType(name: string): name is GrantType {
  return Object.hasOwn(grants, name)
}
