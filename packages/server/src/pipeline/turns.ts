import { AccessError } from '@latchkey/graphql'
import { rejectRequest } from '@latchkey/graphql/internal'
import type { HttpRequest, HttpResponse } from '@latchkey/http'
import type { QueueVerdict } from '@latchkey/http/fair-queue'
import { mcpPath } from '../options/oauth/service-resources.ts'
import { plainResponse } from '../page-kit/plain-response.ts'
import type { OpenableService as Site } from '../service/openable-service.ts'
import { toJsonRpc } from './tool-route.ts'

export const late = { ok: false, reason: 'total', retryAfterSeconds: 1 } as const

/**
 * Lets a handshake or a message of a socket have its turn before anything of it is read, and refuses it while the event loop is late. It returns a promise
 * only if the request has to wait. A platform that ends the work of a request with its response may end the timer of the watch.
 */
export function enterTurn(request: HttpRequest, { fairQueue, loop }: Site): QueueVerdict | Promise<QueueVerdict> {
  if (!request.waitUntil && loop.isLate()) return late
  return fairQueue ? fairQueue.enter(request) : { ok: true, request }
}

/** Returns the refusal of a request that has no turn: in the form of GraphQL at its paths, and of JSON-RPC at `/mcp`. */
export function rejectTurn(
  listed: string | null,
  { reason, retryAfterSeconds }: Extract<QueueVerdict, { readonly ok: false }>,
  { request, site }: { readonly request: HttpRequest; readonly site: Site },
): HttpResponse {
  const isOfAddress = reason === 'address'
  if (listed === '/graphql' || listed === '/graphql/stream' || listed === mcpPath) {
    const code = isOfAddress ? 'RATE_LIMITED' : 'SERVICE_UNAVAILABLE'
    const message = isOfAddress ? tooMuch : tooMany
    const response = rejectRequest(request, new AccessError(code, { message, retryAfterSeconds }), site.unopened)
    return listed === mcpPath ? toJsonRpc(response) : response
  }
  const headers = [['Retry-After', String(retryAfterSeconds)] as const]
  return plainResponse(site, { status: isOfAddress ? 429 : 503, text: isOfAddress ? tooMuch : tooMany, headers })
}

const tooMuch = 'Too many requests from this address. Try again later.'
const tooMany = 'Too many requests are waiting. Try again later.'
