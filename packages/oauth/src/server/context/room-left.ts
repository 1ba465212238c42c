import type { HttpRequest, HttpResponse } from '@latchkey/http'
import { isPublicClient, type RegisteredClient } from '../clients/registered-client.ts'
import { refuse } from '../responses/refusal.ts'
import type { ServerContext } from './server-context.ts'

type Parts = Pick<ServerContext, 'pendingLimit' | 'addressOf' | 'responses'>

/** Whether one thing more may be stored for who has not shown who it is. It counts. */
export async function hasRoom({ pendingLimit, addressOf }: Parts, request: HttpRequest): Promise<boolean> {
  return (await pendingLimit.take(addressOf(request))).ok
}

/** Returns the refusal of what would be stored for a client that anybody can name, or `null`. It counts. */
export async function refuseFlood(
  parts: Parts,
  request: HttpRequest,
  client: RegisteredClient,
): Promise<HttpResponse | null> {
  if (!isPublicClient(client)) return null
  const taken = await parts.pendingLimit.take(parts.addressOf(request))
  return taken.ok ? null : tooMany(parts, taken.retryAfterSeconds)
}

/** The same without counting: for what counts only once it is known that it was in vain. */
export async function findFlood(
  parts: Parts,
  request: HttpRequest,
  client: RegisteredClient,
): Promise<HttpResponse | null> {
  if (!isPublicClient(client)) return null
  const checked = await parts.pendingLimit.check(parts.addressOf(request))
  return checked.ok ? null : tooMany(parts, checked.retryAfterSeconds)
}

/** Counts what was stored in vain for a client that anybody can name. */
export async function countStored(parts: Parts, request: HttpRequest, client: RegisteredClient): Promise<void> {
  if (isPublicClient(client)) await parts.pendingLimit.take(parts.addressOf(request))
}

function tooMany({ responses }: Parts, seconds: number): HttpResponse {
  const { error, description } = refuse(
    'temporarily_unavailable',
    'Too many requests from this address are pending. Try again later.',
  )
  const headers = [['Retry-After', String(seconds)]] as const
  return responses.json(429, { error, error_description: description }, headers)
}
