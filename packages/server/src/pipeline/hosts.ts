import { AccessError } from '@latchkey/graphql'
import { rejectRequest } from '@latchkey/graphql/internal'
import type { SocketHandler } from '@latchkey/graphql/ws'
import type { HttpRequest, HttpResponse } from '@latchkey/http'
import { requestEventFields } from '../options/observe/request-event-fields.ts'
import type { Service } from '../service/open-service.ts'
import type { OpenableService as Site } from '../service/openable-service.ts'
import { noteForgedOrigin } from './forged-origins.ts'
import { setRequestId } from './set-request-id.ts'

/** Returns the refusal of a request that is not for a host of this service, in the form of GraphQL; else `null`. */
export function rejectHost(request: HttpRequest, site: Site): HttpResponse | null {
  const { hosts, refusedHosts, unopened } = site
  const verdict = hosts.check(request)
  if (verdict.ok) return null
  if (verdict.reason === 'malformed')
    return rejectRequest(request, new AccessError('BAD_REQUEST', { message: noHost }), unopened)
  refusedHosts.note(verdict.host, requestEventFields(request, site), settingFor(request))
  return rejectRequest(request, new AccessError('MISDIRECTED_REQUEST', { message: notServed }), unopened)
}

/** A page's host is its origin, too. If the host were only served, the page would stay foreign. */
function settingFor({ headers }: HttpRequest): 'http.allowedOrigins' | 'http.allowedHosts' {
  return headers.has('origin') || headers.has('sec-fetch-site') ? 'http.allowedOrigins' : 'http.allowedHosts'
}

/** Returns the handler with the host judged before the handshake. */
export function guardSockets({ streams: { sockets }, forgery }: Service, site: Site): SocketHandler {
  return {
    ...sockets,
    async accept(request) {
      const response = rejectHost(request, site)
      if (response) return { ok: false, response: setRequestId(response, site.requestIds.of(request)) }
      const handshake = await sockets.accept(request)
      if (handshake.ok) return handshake
      noteForgedOrigin(request, handshake.response, { site, forgery })
      return { ok: false, response: setRequestId(handshake.response, site.requestIds.of(request)) }
    },
  }
}

const noHost = 'The request must name exactly one host.'
const notServed =
  'This service does not serve the requested host: use the address in its baseUrl. If people open its pages at this host, set baseUrl to that origin, or add it to http.allowedOrigins. If only programs use this host, add it to http.allowedHosts.'
