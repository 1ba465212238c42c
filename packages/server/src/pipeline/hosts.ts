import { AccessError } from '@latchkey/graphql'
import { rejectRequest } from '@latchkey/graphql/internal'
import type { SocketHandler } from '@latchkey/graphql/ws'
import type { HttpReply, HttpRequest } from '@latchkey/http'
import { requestEventFields } from '../options/observe/request-event-fields.ts'
import type { OpenableService as Site } from '../service/openable-service.ts'
import { setRequestId } from './set-request-id.ts'

/** Returns the refusal of a request that is not for a host of this service, in the form of GraphQL; else `null`. */
export function rejectHost(request: HttpRequest, site: Site): HttpReply | null {
  const { hosts, refusedHosts, unopened } = site
  const verdict = hosts.check(request)
  if (verdict.ok) return null
  if (verdict.reason === 'malformed')
    return rejectRequest(request, new AccessError('BAD_REQUEST', { message: noHost }), unopened)
  refusedHosts.note(verdict.host, requestEventFields(request, site))
  return rejectRequest(request, new AccessError('MISDIRECTED_REQUEST', { message: notServed }), unopened)
}

type Handshake = Awaited<ReturnType<SocketHandler['accept']>>

/** Returns the handler with the host judged before the handshake. */
export function guardSockets(sockets: SocketHandler, site: Site): SocketHandler {
  return {
    ...sockets,
    accept(request) {
      const reply = rejectHost(request, site)
      if (reply) return { ok: false, reply: setRequestId(reply, site.requestIds.of(request)) }
      const handshake = sockets.accept(request)
      const name = (one: Handshake): Handshake =>
        one.ok ? one : { ok: false, reply: setRequestId(one.reply, site.requestIds.of(request)) }
      return handshake instanceof Promise ? handshake.then(name) : name(handshake)
    },
  }
}

const noHost = 'The request must name exactly one host.'
const notServed = 'This service does not serve the requested host. To allow it, add it to allowedHosts.'
