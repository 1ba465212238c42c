import type { HttpRequest, HttpResponse } from '@latchkey/http'
import { createExchange, type Exchange } from '../handler/exchange.ts'
import type { RequestIdentity } from '../handler/request-identity.ts'
import { toHttpResponse } from '../handler/to-http-response.ts'
import { type Answer, respond } from '../responses/answer.ts'

/** Clients that subscribe know the newer media type, even if `Accept` lists only streams. */
const responseForm = { mediaType: 'application/graphql-response+json', profile: 'compatible' } as const

/** Returns the exchange of a request for a stream. */
export function createStreamExchange(request: HttpRequest, requestIdentity: RequestIdentity | null): Exchange {
  return {
    ...createExchange(request, responseForm.profile),
    ...responseForm,
    elapsed: () => null,
    isBodyRead: true,
    requestIdentity,
  }
}

/** Returns the response that refuses a stream, with the headers of every response. */
export function refuseStream(answer: Answer, exchange: Exchange, headers: HttpResponse['headers']): HttpResponse {
  return toHttpResponse(respond(answer, responseForm), exchange, headers)
}
