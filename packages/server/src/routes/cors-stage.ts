import { allowAnyOrigin, type Cors, createCors, findCors, type HttpReply, type HttpRequest } from '@latchkey/http'
import type { OpenableService as Site } from '../service/openable-service.ts'
import { clientPaths } from '../settings/authorization-paths.ts'

/** Public keys are the same for all. */
const everyPage = createCors({ origins: allowAnyOrigin })

/**
 * The routes whose replies pages of other origins may read, by the path in the table of routes, and which pages those are.
 * All others are closed to them.
 */
const sharedRoutes: ReadonlyMap<string | undefined, CorsOf> = new Map<string, CorsOf>([
  ['/graphql', corsOfClients],
  ['/graphql/stream', corsOfClients],
  ['/jwks', () => everyPage],
  ...[...clientPaths].map((path) => [path, corsOfClients] as const),
])

type CorsOf = (site: Site, request: HttpRequest) => Cors | Promise<Cors> | null

/**
 * Answers a route, for the pages of other origins too: their preflights before anything is looked up, and with the headers
 * that let a listed origin read the reply, a refusal too.
 */
export function applyCors(path: string | undefined, asked: Asked, answer: () => Reply): Reply {
  const found = sharedRoutes.get(path)?.(asked.site, asked.request) ?? null
  return found instanceof Promise
    ? found.then((cors) => answerFor(cors, asked, answer))
    : answerFor(found, asked, answer)
}

type Reply = Promise<HttpReply> | HttpReply

interface Asked {
  readonly request: HttpRequest
  readonly site: Site
}

function answerFor(cors: Cors | null, { request, site }: Asked, answer: () => Reply): Reply {
  if (!cors) return answer()
  const preflight = cors.preflight(request)
  if (preflight) return { ...preflight, headers: [...preflight.headers, ...site.security.api] }
  const reply = answer()
  return reply instanceof Promise ? reply.then((given) => cors.share(request, given)) : cors.share(request, reply)
}

/** The pages of `corsOrigins`, and where there is an authorization server those of public clients. */
function corsOfClients(site: Site, request: HttpRequest): Cors | Promise<Cors> | null {
  if (site.authorizationPaths.size === 0) return isClosed(site) && request.method !== 'OPTIONS' ? null : site.cors
  const found = findCors(request, () => listOrigins(site))
  return found instanceof Promise ? found.catch(() => site.cors) : found
}

/** Nothing is added to replies that no page may read. What a preflight asks for is refused all the same. */
function isClosed({ options: { corsOrigins = [] } }: Site): boolean {
  return corsOrigins.length === 0
}

/** The clients are read once a minute, however many pages of strangers ask. */
async function listOrigins(site: Site): Promise<readonly string[]> {
  const { authorization } = await site.open()
  if (!authorization) throw new TypeError('there is no authorization server')
  return authorization.listOrigins()
}
