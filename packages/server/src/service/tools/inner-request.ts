import type { HttpRequest } from '@latchkey/http'
import type { ServicePlan } from '../plan/service-plan.ts'

/** The headers of the request at `/mcp` that resolvers may read. None of them is a credential. */
const keptHeaders = [
  ...['host', 'user-agent', 'accept-language', 'forwarded', 'x-forwarded-for'],
  ...['traceparent', 'tracestate', 'baggage'],
]

/** Returns the request of one operation of a tool: from the same address, with the same id, without credentials and body. */
export function innerRequest(request: HttpRequest, { path, requestIds }: ServicePlan): HttpRequest {
  const { peerAddress, signal } = request
  const headers = keptHeaders.flatMap((name): (readonly [string, string])[] => {
    const value = request.headers.get(name)
    return value === undefined ? [] : [[name, value]]
  })
  const inner: HttpRequest = {
    method: 'POST',
    target: path,
    authority: request.authority ?? null,
    headers: new Map([
      ['accept', 'application/graphql-response+json'],
      ['content-type', 'application/json'],
      ...headers,
    ]),
    cookies: new Map(),
    peerAddress,
    signal,
    ...(request.waitUntil && { waitUntil: (work: Promise<unknown>) => request.waitUntil?.(work) }),
    body: async () => '',
  }
  requestIds.give(inner, requestIds.of(request))
  return inner
}
