import { decodeBase64url } from '@latchkey/bytes'
import type { HttpRequest } from '@latchkey/http'
import type { Parameters } from '../parameters/parameters.ts'
import { type Refusal, refuse } from '../responses/refusal.ts'
import { type AssertionContext, assertionRefusal, namedClient, namesOtherKey } from './client-assertion.ts'
import type { ClientLookup } from './client-lookup.ts'
import { isClientSecret } from './client-secret.ts'
import type { ClientAuthentication, RegisteredClient } from './registered-client.ts'

export interface AuthenticationContext extends AssertionContext {
  readonly clients: Pick<ClientLookup, 'find'>
  /** Returns a client with newer keys; `null`: its keys are unchanged. Omitted: keys do not change. */
  readonly renewKeys?: (client: RegisteredClient) => Promise<RegisteredClient | null>
}

/**
 * The verdict on the client of a request. `reason` and `named` are for the log. `named` is the id of the client if the client
 * is registered, and otherwise `null`, because a client could send its secret as its id.
 */
export type ClientVerdict =
  | { readonly ok: true; readonly client: RegisteredClient }
  | (Refusal & { readonly named: string | null; readonly reason: string })

/** The client credentials of a request. */
interface Attempt {
  readonly method: ClientAuthentication
  readonly clientId: string | null
  /** The secret or the assertion; empty for `none`. */
  readonly proof: string
}

/** The only type of assertions (RFC 7523 §2.2). */
const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/**
 * Authenticates the client of a request by exactly one method, which the client must be registered with (RFC 6749 §2.3). The
 * refusal of an unknown or disabled client equals the refusal of a wrong secret.
 *
 * @param beforeProof rejects a request before the secret or the assertion of the named client is verified.
 */
export async function authenticateClient<Rejected>(
  context: AuthenticationContext,
  request: Pick<HttpRequest, 'headers'>,
  form: Parameters,
  beforeProof: (client: RegisteredClient) => Promise<Rejected | null>,
): Promise<ClientVerdict | { readonly ok: false; readonly rejected: Rejected }> {
  const attempt = readAttempt(request.headers.get('authorization') ?? null, form)
  if (typeof attempt === 'string') return { ...refuse('invalid_request', attempt), named: null, reason: 'methods' }
  const { method, clientId } = attempt
  const client = await context.clients.find(clientId)
  const rejected = client && (await beforeProof(client))
  if (rejected) return { ok: false, rejected }
  const reason = await attemptRefusal(context, attempt, client)
  if (client && reason === null) return { ok: true, client }
  const failed = refuse('invalid_client', 'The client is unknown or its authentication failed.')
  return { ...failed, named: client?.id ?? null, reason: `${method}: ${reason}` }
}

/** Returns the reason for a refusal, or `null`. A secret is compared for an unknown client too. */
async function attemptRefusal(
  context: AuthenticationContext,
  { method, proof }: Attempt,
  client: RegisteredClient | null,
): Promise<string | null> {
  const isRight = isClientSecret(client?.secretHashes ?? unknownHashes, proof)
  if (!client) return 'unknown'
  if (!client.authentication.includes(method)) return 'method'
  if (method === 'none') return null
  if (method === 'private_key_jwt') return signedRefusal(context, proof, client)
  return isRight ? null : 'secret'
}

/** If an assertion names an unknown key, reads the keys of the client again, once. */
async function signedRefusal(
  context: AuthenticationContext,
  assertion: string,
  client: RegisteredClient,
): Promise<string | null> {
  const refusal = await assertionRefusal(context, assertion, client)
  if (refusal !== 'key' || !namesOtherKey(assertion, client)) return refusal
  const renewed = await context.renewKeys?.(client)
  return renewed ? assertionRefusal(context, assertion, renewed) : refusal
}

const unknownHashes = ['A'.repeat(43)]

/** Returns the credentials of a request, or the broken rule: more than one method, or an invalid form. */
function readAttempt(authorization: string | null, form: Parameters): Attempt | string {
  const attempts = [readBasic(authorization), readPosted(form), readAssertion(form)].filter((read) => read !== null)
  const [attempt = { method: 'none', clientId: form.get('client_id'), proof: '' } as const, other] = attempts
  if (other) return 'Use only one method of client authentication.'
  if (typeof attempt === 'string') return attempt
  const posted = form.get('client_id')
  const isOther = posted !== null && attempt.clientId !== null && posted !== attempt.clientId
  return isOther ? '"client_id" does not match the client that authenticates.' : attempt
}

/** `null`: the request has no credentials of this kind. */
type Read = Attempt | string | null

/** Id and secret are each encoded as in a form (RFC 6749 §2.3.1). */
function readBasic(authorization: string | null): Read {
  if (authorization === null) return null
  const [, encoded = ''] = /^basic +([\w+/-]{1,4000}={0,2})$/i.exec(authorization) ?? []
  const pair = decodeBasic(encoded)
  const colon = pair?.indexOf(':') ?? -1
  const refused: Attempt = { method: 'client_secret_basic', clientId: null, proof: '' }
  if (!pair || colon < 0) return refused
  const clientId = decodeForm(pair.slice(0, colon))
  const proof = decodeForm(pair.slice(colon + 1))
  return clientId === null || proof === null ? refused : { method: 'client_secret_basic', clientId, proof }
}

function decodeBasic(encoded: string): string | null {
  const url = encoded.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
  const bytes = decodeBase64url(url)
  try {
    return bytes && new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

function decodeForm(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return null
  }
}

function readPosted(form: Parameters): Read {
  const secret = form.get('client_secret')
  return secret === null ? null : { method: 'client_secret_post', clientId: form.get('client_id'), proof: secret }
}

function readAssertion(form: Parameters): Read {
  const [type, assertion] = [form.get('client_assertion_type'), form.get('client_assertion')]
  if (type === null && assertion === null) return null
  if (type !== assertionType || assertion === null) {
    return `Send "client_assertion" together with the "client_assertion_type" ${assertionType}.`
  }
  return { method: 'private_key_jwt', clientId: namedClient(assertion), proof: assertion }
}
