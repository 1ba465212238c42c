import type { HttpRequest, HttpResponse } from '@latchkey/http'
import { authenticateClient, type ClientVerdict } from '../clients/client-authentication.ts'
import type { RegisteredClient } from '../clients/registered-client.ts'
import type { ServerContext } from '../context/server-context.ts'
import { refuseBegun } from '../context/unregistered-clients.ts'
import type { MetadataClientDocument } from '../metadata-clients/metadata-client-reader.ts'
import type { Parameters } from '../parameters/parameters.ts'
import { type Refusal, refuse } from '../responses/refusal.ts'
import type { BegunClient } from '../unregistered/metadata-clients.ts'

/** The client of a request, or the refusal of its authentication. */
export type CheckedClient =
  | { readonly ok: true; readonly client: RegisteredClient; readonly document: MetadataClientDocument | null }
  | { readonly ok: false; readonly response: HttpResponse }

/**
 * Authenticates the client of a request within the limit of failed attempts. Only `invalid_client` counts, by address and not by
 * client: strangers cannot lock a client out, and valid requests do not count.
 */
export async function checkClient(
  context: ServerContext,
  request: HttpRequest,
  form: Parameters,
  { begins = false }: { readonly begins?: boolean } = {},
): Promise<CheckedClient> {
  const { clientLimit, addressOf, emit, metadataClients } = context
  const address = addressOf(request)
  const begun = begins ? createBegun(context, address) : null
  const asked = {
    ...context,
    ...(begun && { clients: begun }),
    renewKeys: async (client: RegisteredClient) =>
      metadataClients?.isMeant(client.id) ? metadataClients.renewKeys(client, address) : null,
  }
  // Beyond the limit no secret is compared, so that right and wrong secrets take the same time.
  const verdict = await authenticateClient(asked, request, form, async (client) => {
    const checked = canBeGuessed(client) ? await clientLimit?.check(address) : undefined
    return checked?.ok === false ? throttled(context, checked.retryAfterSeconds) : null
  })
  if (verdict.ok) return { ...verdict, document: begun?.document() ?? null }
  if ('rejected' in verdict) return verdict.rejected
  if (verdict.error !== 'invalid_client') return { ok: false, response: context.responses.refusal(verdict) }
  const refusal = begun?.refusal() ?? null
  if (refusal?.error === 'temporarily_unavailable') return { ok: false, response: tooMany(context, refusal) }
  const counted = await clientLimit?.take(address)
  if (counted?.ok === false) return throttled(context, counted.retryAfterSeconds)
  emit({ type: 'client.refused', clientId: verdict.named ?? '', reason: verdict.reason, address })
  return challenge(context, refusal ? { ...verdict, ...refusal } : verdict)
}

/** Looks up the client of a new request. The document of an unregistered client is read. */
function createBegun({ clients, metadataClients }: ServerContext, address: string) {
  let begun: BegunClient | null = null
  return {
    async find(id: string | null): Promise<RegisteredClient | null> {
      if (!metadataClients?.isMeant(id)) return clients.find(id)
      begun = await metadataClients.begin(id, address)
      return begun.kind === 'client' ? begun.client : null
    },
    document: () => (begun?.kind === 'client' ? begun.document : null),
    refusal: () => (begun && begun.kind !== 'client' ? refuseBegun(begun) : null),
  }
}

function tooMany({ responses }: ServerContext, { error, description, headers = [] }: Refusal): HttpResponse {
  return responses.json(429, { error, error_description: description }, headers)
}

/** Whether the client's secret may have been chosen by a person. A stored client has a secret of 32 random bytes. */
function canBeGuessed({ secretHashes, createdAt }: RegisteredClient): boolean {
  return secretHashes.length > 0 && createdAt === 0
}

/** For any attempt the response names the only scheme of HTTP for client secrets (RFC 6749 §5.2). */
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
