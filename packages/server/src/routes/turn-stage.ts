import { AccessError } from '@latchkey/graphql'
import type { HttpReply, HttpRequest, TurnVerdict } from '@latchkey/http'
import type { OpenableService as Site } from '../service/openable-service.ts'
import { plainReply } from './plain-reply.ts'

/** Lets a request have its turn before anything of it is read. It returns a promise only where it has to wait. */
export function enterTurn(request: HttpRequest, { turns }: Site): TurnVerdict | Promise<TurnVerdict> {
  return turns ? turns.enter(request) : { ok: true, request }
}

/** Lets a probe begin. */
export function enterProbe(request: HttpRequest, { turns }: Site): TurnVerdict | Promise<TurnVerdict> {
  return turns ? turns.enterProbe(request) : { ok: true, request }
}

/** Returns the refusal of a request that has no turn: in the form of GraphQL at its paths. */
export function refuseTurn(
  path: string | undefined,
  { reason, retryAfterSeconds }: Extract<TurnVerdict, { readonly ok: false }>,
  { request, site }: { readonly request: HttpRequest; readonly site: Site },
): HttpReply {
  const isOfAddress = reason === 'address'
  if (path === '/graphql' || path === '/graphql/stream') {
    const code = isOfAddress ? 'RATE_LIMITED' : 'SERVICE_UNAVAILABLE'
    const message = isOfAddress ? tooMuch : tooMany
    return site.unopened.refuse(request, new AccessError(code, { message, retryAfterSeconds }))
  }
  const headers = [['Retry-After', String(retryAfterSeconds)] as const]
  return plainReply(site, { status: isOfAddress ? 429 : 503, text: isOfAddress ? tooMuch : tooMany, headers })
}

const tooMuch = 'Too many requests from this address. Try again later.'
const tooMany = 'Too many requests are waiting. Try again later.'
