import type { HttpReply, HttpRequest } from '@latchkey/http'
import type { Identity } from '@latchkey/rbac'
import type { Established } from '../handler/established.ts'
import { createExchange, type Exchange } from '../handler/exchange.ts'
import { toReply } from '../handler/to-reply.ts'
import { type Answer, respond } from '../responses/answer.ts'

/** Whoever subscribes knows the newer media type, whatever streams they accept. */
const written = { mediaType: 'application/graphql-response+json', profile: 'compatible' } as const

/** Gives the exchange of a request whose answer is a stream, or the refusal of one. */
export function createStreamExchange(request: HttpRequest, established: Established<Identity> | null): Exchange {
  return { ...createExchange(request, written.profile), ...written, isBodyRead: true, established }
}

/** Gives the reply in which nothing is streamed. */
export function refuseStream(answer: Answer, request: HttpRequest): HttpReply {
  return toReply(respond(answer, written), createStreamExchange(request, null))
}
