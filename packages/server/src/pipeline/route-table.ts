import { type RequestSteps, rejectRequest } from '@latchkey/graphql/internal'
import { features } from '../features/features.ts'
import { mcpPath } from '../options/oauth/service-resources.ts'
import { pathsOfProviders } from '../options/sign-in/provider-paths.ts'
import type { PageEntry, PublicAnswer } from '../page-kit/feature.ts'
import { offeredParts } from '../page-kit/page-offers.ts'
import { nothingHere, plainResponse } from '../page-kit/plain-response.ts'
import type { Service } from '../service/open-service.ts'
import type { OpenableService as Site } from '../service/openable-service.ts'
import { authorizationHandler } from './authorization-routes.ts'
import { answerJwks } from './jwks.ts'
import { pageHandlers } from './page-routes.ts'
import type { Route, RouteHandler } from './passage.ts'
import { answerHealth, answerReadiness } from './probes.ts'
import { toolHandler } from './tool-route.ts'

/** Every path of a service, depending on its options. */
export type RouteTable = ReadonlyMap<string, Route>

/** Returns the route of a request target; `undefined` for an unknown path. */
export function findRoute(routes: RouteTable, target: string): Route | undefined {
  return routes.get(pathOf(target))
}

/** Returns the path of a request target, which has the absolute form too (RFC 9112 §3.2.2). */
export function pathOf(target: string): string {
  const [path = ''] = target.split('?', 1)
  if (path.startsWith('/')) return path
  const [origin] = /^https?:\/\/[^/#]*/i.exec(path) ?? []
  return origin === undefined ? path : path.slice(origin.length) || '/'
}

export function createRouteTable(site: Site): RouteTable {
  return new Map([
    ...endpointRoutes(site),
    ...toolRoutes(site),
    ...features.flatMap(({ pages = [] }) => pages.flatMap((entry) => pageRoutes(entry, site))),
    ...[...site.authorizationPaths].map((path) => routeAt(path, () => authorizationHandler)),
    ...documentRoutes(),
    ...features.flatMap(({ routes }) => routes?.(site).map(([path, answer]) => routeAt(path, reading(answer))) ?? []),
  ])
}

type Entry = readonly [path: string, route: Route]

function routeAt(path: string, handlerOf: Route['handlerOf'], listed = path): Entry {
  return [path, { listed, resource: null, handlerOf }]
}

function endpointRoutes({ resources: { endpoint: resource } }: Site): readonly Entry[] {
  const { path } = resource
  const graphql = endpointHandler('graphql', (service) => service.graphql)
  const events = endpointHandler('stream', ({ streams }) => streams.events)
  return [
    [path, { listed: '/graphql', resource, handlerOf: () => graphql }],
    [`${path}/stream`, { listed: '/graphql/stream', resource, handlerOf: () => events }],
  ]
}

function toolRoutes({ resources: { mcp: resource } }: Site): readonly Entry[] {
  return resource ? [[resource.path, { listed: mcpPath, resource, handlerOf: () => toolHandler }]] : []
}

function pageRoutes(entry: PageEntry, site: Site): readonly Entry[] {
  const [listed, , needs] = entry
  if (needs !== null && !offeredParts(site)[needs]) return []
  const names = [...(site.providers?.byName.keys() ?? [])]
  return pathsOfProviders(listed, names).map((path) => routeAt(path, byMethod(pageHandlers(entry)), listed))
}

function documentRoutes(): readonly Entry[] {
  return [
    routeAt('/jwks', reading(answerJwks)),
    routeAt('/healthz', reading(answerHealth, 'probe')),
    routeAt('/readyz', reading(answerReadiness, 'probe')),
  ]
}

function reading(answer: PublicAnswer, column: 'public' | 'probe' = 'public'): Route['handlerOf'] {
  const handler = plainHandler(answer, column)
  return byMethod({ GET: handler, HEAD: handler }, column)
}

function byMethod(
  given: Readonly<Record<string, RouteHandler>>,
  column: 'public' | 'probe' = 'public',
): Route['handlerOf'] {
  const methods = new Map(Object.entries(given))
  const headers = [['Allow', [...methods.keys()].join(', ')]] as const
  const text = 'This method is not allowed. Use a method from the Allow header.'
  const notAllowed = plainHandler((_request, site) => plainResponse(site, { status: 405, text, headers }), column)
  return (method) => methods.get(method) ?? notAllowed
}

/** Returns a handler for documents that are the same for all requests, even if the service is not open. */
function plainHandler(answer: PublicAnswer, column: 'public' | 'probe'): RouteHandler {
  return {
    column,
    endpoint: null,
    respond: ({ request, site }) => answer(request, site),
    reject(error) {
      throw error
    },
  }
}

/** The handler for unknown paths. */
export const nowhere: RouteHandler = plainHandler((_request, site) => nothingHere(site), 'public')

/** Operations and streams go the same way; they differ in what is answered at its end. */
function endpointHandler(column: 'graphql' | 'stream', endpoint: (service: Service) => RequestSteps): RouteHandler {
  return {
    column,
    endpoint,
    respond({ endpoint: steps, exchange }) {
      if (!steps || !exchange) throw new TypeError('the request has passed no step of GraphQL')
      return steps.respond(exchange)
    },
    reject(error, { endpoint: steps, exchange, request, site }) {
      return steps && exchange ? steps.reject(exchange, error) : rejectRequest(request, error, site.unopened)
    },
  }
}
