import { createHttpHandler, type HttpHandler, type HttpReply, type HttpRequest } from '@latchkey/http'
import { isStoreError } from '@latchkey/store'
import type { Endpoint } from './context/endpoint.ts'
import { createServerContext, type ServerContext } from './context/server-context.ts'
import type { AuthorizationServerOptions } from './context/server-options.ts'
import { pathOf } from './parameters/read-request.ts'
import { refuse } from './replies/refusal.ts'
import { introspectionEndpoint } from './tokens/introspection-endpoint.ts'
import { type PresentedOptions, type PresentedVerdict, readPresentedToken } from './tokens/presented-access-token.ts'
import { revocationEndpoint } from './tokens/revocation-endpoint.ts'
import { tokenEndpoint } from './tokens/token-endpoint.ts'
import { userinfoEndpoint } from './tokens/userinfo-endpoint.ts'

/** An authorization server as one handler: mount it at its paths. */
export interface AuthorizationServer extends HttpHandler {
  /** Every path that it answers. */
  readonly paths: readonly string[]
  /**
   * Returns the access token that a request to a resource of this server presents, while all goes on that it was given for.
   * It is `Bearer`, or `DPoP` with a proof for this request, which is used up. Rejects when there is no verdict, because a
   * store does not answer.
   */
  readAccessToken(
    request: Pick<HttpRequest, 'method' | 'target' | 'header'>,
    options?: PresentedOptions,
  ): Promise<PresentedVerdict>
}

/** Every endpoint: one line for each path. */
const endpoints: readonly Endpoint[] = [tokenEndpoint, revocationEndpoint, introspectionEndpoint, userinfoEndpoint]

/**
 * Creates an authorization server and OpenID provider.
 *
 * @throws TypeError naming the option that is unknown, missing or not valid.
 */
export function createAuthorizationServer(options: AuthorizationServerOptions): AuthorizationServer {
  const context = createServerContext(options)
  const byPath = new Map(endpoints.map((endpoint) => [endpoint.path, endpoint]))
  const handler = createHttpHandler((request) => answer(context, byPath.get(pathOf(request)) ?? null, request))
  return {
    ...handler,
    paths: [...byPath.keys()],
    readAccessToken: (request, presented) => readPresentedToken(context, request, presented),
  }
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
