import { AccessError } from '@latchkey/graphql'
import { rejectRequest } from '@latchkey/graphql/internal'
import type { HttpResponse } from '@latchkey/http'
import { type Passage, type RouteHandler, serviceOf } from './passage.ts'

/** The tools of the option `mcp`, and refusals before them as errors of JSON-RPC. */
export const toolHandler: RouteHandler = {
  column: 'tools',
  endpoint: null,
  respond(passage) {
    const { tools } = serviceOf(passage)
    if (!tools) throw new TypeError('the service has no tools')
    return tools.respond(passage.request, passage.reading)
  },
  reject: (error, { request, site, service }) =>
    toJsonRpc(service?.tools?.reject(request, error) ?? rejectRequest(request, error, site.unopened)),
}

/** Rejects what pages of strangers send, by which a browser would reach a service behind a firewall. */
export function rejectForeignPage({ request, site, cors }: Passage): undefined {
  const origin = request.headers.get('origin')
  if (origin === undefined || site.base.origins.includes(origin) || cors?.allows(request)) return
  throw new AccessError('CSRF_REJECTED')
}

/** Returns a refusal of GraphQL as one of JSON-RPC to a message whose id is not known. */
export function toJsonRpc({ status, headers, body }: HttpResponse): HttpResponse {
  const { errors = [] } = JSON.parse(typeof body === 'string' ? body : '{}') as {
    readonly errors?: readonly { readonly message: string; readonly extensions?: object }[]
  }
  const { message = '', extensions: data } = errors[0] ?? {}
  const others = headers.filter(([name]) => name.toLowerCase() !== 'content-type')
  return {
    status,
    headers: [...others, ['Content-Type', 'application/json']],
    body: JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: status, message, data } }),
  }
}
