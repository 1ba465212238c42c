import { createHttpHandler, type HttpHandler, type HttpReply, type HttpRequest } from '@latchkey/http'
import { isStoreError } from '@latchkey/store'
import type { Endpoint } from './context/endpoint.ts'
import { createServerContext, type ServerContext } from './context/server-context.ts'
import type { AuthorizationServerOptions } from './context/server-options.ts'
import { pathOf } from './parameters/read-request.ts'
import { refuse } from './replies/refusal.ts'

/** An authorization server as one handler: mount it at its paths. */
export interface AuthorizationServer extends HttpHandler {
  /** Every path that it answers. */
  readonly paths: readonly string[]
}

/** Every endpoint: one line for each path. */
const endpoints: readonly Endpoint[] = []

/**
 * Creates an authorization server and OpenID provider.
 *
 * @throws TypeError naming the option that is unknown, missing or not valid.
 */
export function createAuthorizationServer(options: AuthorizationServerOptions): AuthorizationServer {
  const context = createServerContext(options)
  const byPath = new Map(endpoints.map((endpoint) => [endpoint.path, endpoint]))
  const handler = createHttpHandler((request) => answer(context, byPath.get(pathOf(request)) ?? null, request))
  return { ...handler, paths: [...byPath.keys()] }
}

async function answer(context: ServerContext, endpoint: Endpoint | null, request: HttpRequest): Promise<HttpReply> {
  const { replies } = context
  if (!endpoint) return { status: 404, headers: [], body: null }
  const method = request.method === 'HEAD' ? 'GET' : request.method
  if (!endpoint.methods.some((allowed) => allowed === method)) return replies.notAllowed(endpoint.methods)
  try {
    return await endpoint.answer(context, request)
  } catch (error) {
    if (!isStoreError(error)) throw error
    return replies.refusal(refuse('temporarily_unavailable', 'a store does not answer'), [['Retry-After', '1']])
  }
}
