import { allowAnyOrigin, type Cors, createCors, type HttpRequest, type HttpResponse } from '@latchkey/http'
import { createCorsFinder } from '@latchkey/http/internal'
import { isStoreError } from '@latchkey/store'
import { showRefusal } from './authorization/answers.ts'
import type { Endpoint } from './context/endpoint.ts'
import type { ServerContext } from './context/server-context.ts'
import { refuse } from './responses/refusal.ts'

/** Answers a request with the endpoint of its path; `null`: no endpoint has this path. */
export async function answerRequest(
  context: ServerContext,
  endpoint: Endpoint | null,
  request: HttpRequest,
): Promise<HttpResponse> {
  if (!endpoint) return { status: 404, headers: [], body: null }
  return orOutage(context, { endpoint, request }, async () => {
    const cors = await corsOf(context, endpoint, request)
    const preflight = cors?.preflight(request) ?? null
    if (preflight) return preflight
    const response = await orOutage(context, { endpoint, request }, () => answerMethod(context, endpoint, request))
    return cors ? cors.share(request, response) : response
  })
}

async function answerMethod(context: ServerContext, endpoint: Endpoint, request: HttpRequest): Promise<HttpResponse> {
  // A HEAD request for a page would use up the request in its address.
  const method = request.method === 'HEAD' && !endpoint.isPage ? 'GET' : request.method
  const isAllowed = endpoint.methods.some((allowed) => allowed === method)
  return isAllowed ? endpoint.answer(context, request) : context.responses.notAllowed(endpoint.methods)
}

/**
 * Returns the CORS headers with which pages of other origins may read the responses of an endpoint, without cookies;
 * `null`: they may not.
 */
async function corsOf(
  { clientOrigins }: ServerContext,
  { isOpenTo }: Endpoint,
  request: HttpRequest,
): Promise<Cors | null> {
  if (isOpenTo === undefined) return null
  if (isOpenTo === 'all') return everyPage
  // The list is cached for a minute, and so are its parsed addresses.
  return findCors(request, clientOrigins)
}

const everyPage = createCors({ origins: allowAnyOrigin })
const findCors = createCorsFinder()

const outage = refuse('temporarily_unavailable', 'The server is temporarily unavailable. Try again later.')

/** Answers 503 if a store fails. */
async function orOutage(
  context: ServerContext,
  { endpoint, request }: { readonly endpoint: Endpoint; readonly request: HttpRequest },
  work: () => Promise<HttpResponse>,
): Promise<HttpResponse> {
  try {
    return await work()
  } catch (error) {
    if (!isStoreError(error)) throw error
    return endpoint.isPage
      ? showRefusal(context, request, outage, 503)
      : context.responses.refusal(outage, [['Retry-After', '1']])
  }
}
