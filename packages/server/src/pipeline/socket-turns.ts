import type { SocketHandler } from '@latchkey/graphql/ws'
import type { HttpRequest } from '@latchkey/http'
import type { OpenableService as Site } from '../service/openable-service.ts'
import { setRequestId } from './set-request-id.ts'
import { enterTurn, rejectTurn } from './turns.ts'

type Verdict = Awaited<ReturnType<SocketHandler['accept']>>
type AcceptedSocket = Parameters<Extract<Verdict, { readonly ok: true }>['open']>[0]

/** Returns the handler with a turn for each handshake and, with a fair queue, for each message. */
export function giveTurns(sockets: SocketHandler, site: Site): SocketHandler {
  return {
    ...sockets,
    async accept(request) {
      const turn = await enterTurn(request, site)
      if (turn.ok) return takeTurns(await sockets.accept(request), request, site)
      const response = rejectTurn('/graphql', turn, { request, site })
      return { ok: false, response: setRequestId(response, site.requestIds.of(request)) }
    },
  }
}

function takeTurns(verdict: Verdict, request: HttpRequest, site: Site): Verdict {
  return verdict.ok && site.fairQueue
    ? { ...verdict, open: (socket) => verdict.open(withTurns(socket, request, site)) }
    : verdict
}

/** RFC 6455 §7.4.1 and its registry: try again later. */
const tryAgainLater = 1013

/** Pauses the socket while a message waits, so that further messages stay with the client. */
function withTurns(socket: AcceptedSocket, request: HttpRequest, site: Site): AcceptedSocket {
  return {
    ...socket,
    onMessage: (listener) =>
      socket.onMessage(async (text) => {
        const entered = enterTurn(request, site)
        if (entered instanceof Promise) socket.pause?.()
        const turn = await entered
        if (entered instanceof Promise) socket.resume?.()
        if (turn.ok) await listener(text)
        else socket.close(tryAgainLater, 'RATE_LIMITED')
      }),
  }
}
