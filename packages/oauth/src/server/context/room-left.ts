import type { HttpRequest, HttpResponse } from '@latchkey/http'
import { isPublicClient, type RegisteredClient } from '../clients/registered-client.ts'
import { refuse } from '../responses/refusal.ts'
import type { ServerContext } from './server-context.ts'

type Parts = Pick<ServerContext, 'pendingLimit' | 'addressOf' | 'responses'>

/** Counts a value to store for an unauthenticated sender. Returns whether the limit of its address allows it. */
export async function hasRoom({ pendingLimit, addressOf }: Parts, request: HttpRequest): Promise<boolean> {
  return (await pendingLimit.take(addressOf(request))).ok
}

/** Counts a value to store for a public client. Returns the refusal if the limit of the address is reached, or `null`. */
export async function refuseFlood(
  parts: Parts,
  request: HttpRequest,
  client: RegisteredClient,
): Promise<HttpResponse | null> {
  if (!isPublicClient(client)) return null
  const taken = await parts.pendingLimit.take(parts.addressOf(request))
  return taken.ok ? null : tooMany(parts, taken.retryAfterSeconds)
}

/** Returns the refusal for a public client if the limit is reached, or `null`. It does not count: `countStored` does. */
export async function findFlood(
  parts: Parts,
  request: HttpRequest,
  client: RegisteredClient,
): Promise<HttpResponse | null> {
  if (!isPublicClient(client)) return null
  const checked = await parts.pendingLimit.check(parts.addressOf(request))
  return checked.ok ? null : tooMany(parts, checked.retryAfterSeconds)
}

/** Counts a value that was stored for a request of a public client, if the request failed. */
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
