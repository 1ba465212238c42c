import type { HttpRequest, HttpResponse } from '@latchkey/http'
import { authenticateClient, type ClientVerdict } from '../clients/client-authentication.ts'
import type { RegisteredClient } from '../clients/registered-client.ts'
import type { ServerContext } from '../context/server-context.ts'
import type { Parameters } from '../parameters/parameters.ts'
import { refuse } from '../responses/refusal.ts'

/** The client of a request, or the response to one that has not shown that it is one. */
export type CheckedClient =
  | { readonly ok: true; readonly client: RegisteredClient }
  | { readonly ok: false; readonly response: HttpResponse }

/**
 * Authenticates the client of a request within the limit on guessing. Only `invalid_client` counts, by address and never by
 * client: no one can lock a client out, and right requests at once do not throttle each other.
 */
export async function checkClient(
  context: ServerContext,
  request: HttpRequest,
  form: Parameters,
): Promise<CheckedClient> {
  const { clientLimit, addressOf, emit } = context
  const address = addressOf(request)
  // Beyond the limit no secret is compared, so that right and wrong ones take the same time.
  const verdict = await authenticateClient(context, request, form, async (client) => {
    const checked = canBeGuessed(client) ? await clientLimit?.check(address) : undefined
    return checked?.ok === false ? throttled(context, checked.retryAfterSeconds) : null
  })
  if (verdict.ok) return verdict
  if ('rejected' in verdict) return verdict.rejected
  if (verdict.error !== 'invalid_client') return { ok: false, response: context.responses.refusal(verdict) }
  const counted = await clientLimit?.take(address)
  if (counted?.ok === false) return throttled(context, counted.retryAfterSeconds)
  emit({ type: 'client.refused', clientId: verdict.named ?? '', reason: verdict.reason, address })
  return challenge(context, verdict)
}

/** Whether a person may have chosen the client's secret. A stored client has one of 32 random bytes. */
function canBeGuessed({ secretHashes, createdAt }: RegisteredClient): boolean {
  return secretHashes.length > 0 && createdAt === 0
}

/** Whatever was tried, the one scheme that HTTP has for it is named (RFC 6749 §5.2). */
function challenge(
  { responses, issuer }: ServerContext,
  verdict: ClientVerdict & { readonly ok: false },
): CheckedClient {
  const headers = [['WWW-Authenticate', `Basic realm="${issuer}", charset="UTF-8"`]] as const
  return { ok: false, response: responses.refusal(verdict, headers) }
}

function throttled({ responses }: ServerContext, seconds: number): CheckedClient {
  const { error, description } = refuse(
    'temporarily_unavailable',
    'Too many failed attempts from this address. Try again later.',
  )
  const headers = [['Retry-After', String(seconds)]] as const
  return { ok: false, response: responses.json(429, { error, error_description: description }, headers) }
}
