import type { HttpReply, HttpRequest } from '@latchkey/http'
import { createExchange, type Exchange } from '../handler/exchange.ts'
import type { RequestIdentity } from '../handler/request-identity.ts'
import { toReply } from '../handler/to-reply.ts'
import { type Answer, respond } from '../responses/answer.ts'

/** Clients that subscribe know the newer media type, whatever their `Accept` says of streams. */
const responseForm = { mediaType: 'application/graphql-response+json', profile: 'compatible' } as const

/** Returns the exchange of a request that is answered with a stream or with the refusal of one. */
export function createStreamExchange(request: HttpRequest, requestIdentity: RequestIdentity | null): Exchange {
  return {
    ...createExchange(request, responseForm.profile),
    ...responseForm,
    elapsed: () => null,
    isBodyRead: true,
    requestIdentity,
  }
}

/** Returns the reply that refuses a stream, with the headers of every reply. */
export function refuseStream(answer: Answer, request: HttpRequest, headers: HttpReply['headers']): HttpReply {
  return toReply(respond(answer, responseForm), createStreamExchange(request, null), headers)
}
