import type { HttpReply, HttpRequest } from '@latchkey/http'
import { isPublicClient, type RegisteredClient } from '../clients/registered-client.ts'
import { refuse } from '../replies/refusal.ts'
import type { ServerContext } from './server-context.ts'

type Parts = Pick<ServerContext, 'pendingLimit' | 'addressOf' | 'replies'>

/** Whether one thing more may be stored for who has not shown who it is. It counts. */
export async function hasRoom({ pendingLimit, addressOf }: Parts, request: HttpRequest): Promise<boolean> {
  return (await pendingLimit.take(addressOf(request))).ok
}

/** Returns the refusal of what would be stored for a client that anybody can name, or `null`. */
export async function refuseFlood(
  { pendingLimit, addressOf, replies }: Parts,
  request: HttpRequest,
  client: RegisteredClient,
): Promise<HttpReply | null> {
  if (!isPublicClient(client)) return null
  const taken = await pendingLimit.take(addressOf(request))
  if (taken.ok) return null
  const { error, description } = refuse('temporarily_unavailable', 'too many requests of this address are waiting')
  const headers = [['Retry-After', String(taken.retryAfterSeconds)]] as const
  return replies.json(429, { error, error_description: description }, headers)
}
