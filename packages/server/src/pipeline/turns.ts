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
 * Gives a handshake or message of a socket its turn before it is read, and refuses it while the event loop is late.
 * Returns a promise only if the request waits. The check of the event loop is skipped on platforms that cancel the work
 * of a request with its response, because they may cancel the timer too.
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
