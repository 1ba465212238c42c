import { allowAnyOrigin, type Cors, createCors, type HttpRequest, type HttpResponse } from '@latchkey/http'
import { clientPaths } from '../options/oauth/authorization-paths.ts'
import { mcpPath } from '../options/oauth/service-resources.ts'
import type { OpenableService as Site } from '../service/openable-service.ts'
import type { Passage } from './passage.ts'

/** Public keys are the same for all. */
const everyPage = createCors({ origins: allowAnyOrigin })

/**
 * The routes whose responses pages of other origins may read, by the path in the table of routes, and which pages those are.
 * All others are closed to them.
 */
const sharedRoutes: ReadonlyMap<string | null, CorsOf> = new Map<string, CorsOf>([
  ['/graphql', corsOfEndpoint],
  ['/graphql/stream', corsOfEndpoint],
  [mcpPath, corsOfClients],
  ['/jwks', () => everyPage],
  ...[...clientPaths].map((path) => [path, corsOfClients] as const),
])

type CorsOf = (site: Site, request: HttpRequest) => Cors | Promise<Cors> | null

/**
 * Responds to the preflights of other origins, before anything is looked up. Other responses get the headers that let a listed
 * origin read them at the end of the request, a refusal too.
 */
export function applyCors(passage: Passage): Promise<HttpResponse | undefined> | HttpResponse | undefined {
  const { site, request, listed } = passage
  const found = sharedRoutes.get(listed)?.(site, request) ?? null
  return found instanceof Promise ? found.then((cors) => applyFound(cors, passage)) : applyFound(found, passage)
}

function applyFound(cors: Cors | null, passage: Passage): HttpResponse | undefined {
  const preflight = cors?.preflight(passage.request)
  if (preflight) return { ...preflight, headers: [...preflight.headers, ...passage.site.security.api] }
  passage.cors = cors
  return undefined
}

/** Returns the CORS rules of `allowedOrigins`, with cookies, or of clients. */
function corsOfEndpoint(site: Site, request: HttpRequest): Cors | Promise<Cors> | null {
  const { own } = site.cors
  const origin = request.headers.get('origin')
  const isOwn = origin !== undefined && site.options.allowedOrigins?.includes(origin)
  // Responses to other origins vary by origin, too.
  const isAlone = site.authorizationPaths.size === 0 && isClosed(site)
  return own && (isOwn || isAlone) ? own : corsOfClients(site, request)
}

/** Returns the CORS rules of `corsOrigins` and, with an authorization server, of public clients. */
function corsOfClients(site: Site, request: HttpRequest): Cors | Promise<Cors> | null {
  if (site.authorizationPaths.size === 0)
    return isClosed(site) && request.method !== 'OPTIONS' ? null : site.cors.listed
  const found = site.cors.find(request, () => listOrigins(site))
  return found instanceof Promise ? found.catch(() => site.cors.listed) : found
}

/** Without `corsOrigins`, responses get no CORS headers. Preflights are still refused. */
function isClosed({ options: { corsOrigins = [] } }: Site): boolean {
  return corsOrigins.length === 0
}

/** The clients are read once a minute, however many pages of strangers ask. */
async function listOrigins(site: Site): Promise<readonly string[]> {
  const { authorization } = await site.open()
  if (!authorization) throw new TypeError('there is no authorization server')
  return authorization.listOrigins()
}
