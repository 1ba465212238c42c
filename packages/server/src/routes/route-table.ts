import type { GraphqlHandler } from '@latchkey/graphql'
import { createReplyHeaders, type HttpReply, type HttpRequest } from '@latchkey/http'
import { developmentRoutes } from '../pages/development/development-pages.ts'
import { offeredParts } from '../pages/page-offers.ts'
import type { Service } from '../service/open-service.ts'
import type { OpenableService as Site } from '../service/openable-service.ts'
import { pathsOfProviders } from '../settings/providers/provider-paths.ts'
import { answerAuthorization } from './authorization-routes.ts'
import { answerJwks } from './jwks.ts'
import { methodsOf } from './page-routes.ts'
import { type PageEntry, pages } from './page-table.ts'
import { plainReply } from './plain-reply.ts'
import { answerHealth, answerReadiness } from './probes.ts'
import { answerRelatedOrigins } from './related-origins.ts'
import { nameResource } from './resource-challenges.ts'
import { pass } from './stages.ts'

/** A promise only where something is waited for: each one more is a turn of every request. */
export type Reply = Promise<HttpReply> | HttpReply
type Answer = (request: HttpRequest, site: Site) => Reply

/** What answers at a path. */
export interface Route {
  /** The path as the tables list it: `/graphql` for the option `graphql.path`, and `:name` for the name of a provider. */
  readonly listed: string
  readonly answer: Answer
}

/** Every path that a service answers, by what its options offer. */
export type RouteTable = ReadonlyMap<string, Route>

/** Returns the route of a request target; `undefined`: the service answers nothing there. */
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
    ...pages.flatMap((entry) => pageRoutes(entry, site)),
    ...[...site.authorizationPaths].map((path) => routeAt(path, answerAuthorization)),
    ...documentRoutes(site),
    ...routesOfDevelopment(site),
  ])
}

type Entry = readonly [path: string, route: Route]

function routeAt(path: string, answer: Answer, listed = path): Entry {
  return [path, { listed, answer }]
}

function endpointRoutes({ path }: Site): readonly Entry[] {
  const graphql = answerWith((service) => service.graphql)
  const events = answerWith(({ streams }) => streams.events)
  return [routeAt(path, graphql, '/graphql'), routeAt(`${path}/stream`, events, '/graphql/stream')]
}

function pageRoutes(entry: PageEntry, site: Site): readonly Entry[] {
  const [listed, , needs] = entry
  if (needs !== null && !offeredParts(site)[needs]) return []
  const names = [...(site.providers?.byName.keys() ?? [])]
  return pathsOfProviders(listed, names).map((path) => routeAt(path, byMethod(methodsOf(entry)), listed))
}

function documentRoutes({ options }: Site): readonly Entry[] {
  return [
    routeAt('/jwks', reading(answerJwks)),
    ...(options.passkeys ? [routeAt('/.well-known/webauthn', reading(answerRelatedOrigins))] : []),
    routeAt('/healthz', reading(answerHealth)),
    routeAt('/readyz', reading(answerReadiness)),
  ]
}

function routesOfDevelopment({ options: { developmentPages } }: Site): readonly Entry[] {
  if (!developmentPages) return []
  return developmentRoutes(developmentPages).map(([path, answer]) => routeAt(path, reading(answer)))
}

function reading(answer: Answer): Answer {
  return byMethod({ GET: answer, HEAD: answer })
}

function byMethod(given: Readonly<Record<string, Answer>>): Answer {
  const methods = new Map(Object.entries(given))
  return (request, site) => {
    const answer = methods.get(request.method)
    if (answer) return answer(request, site)
    const allow = ['Allow', [...methods.keys()].join(', ')] as const
    return plainReply(site, {
      status: 405,
      text: 'This method is not allowed. Use a method from the Allow header.',
      headers: [allow],
    })
  }
}

/** Operations and streams go the same way; they differ in what is answered at its end. */
function answerWith(find: (service: Service) => Pick<GraphqlHandler, 'answer'>): Answer {
  return async (request, site) => {
    let service: Service
    try {
      service = await site.open()
    } catch (error) {
      return site.unopened.answer(request, () => Promise.reject(error))
    }
    const reply = await find(service).answer(request, async () => {
      const { reading, forged } = await pass('graphql', { request, site, service })
      return { reading, forged, reply: createReplyHeaders(), reread: () => service.reidentify.read(request) }
    })
    return service.clientTokens ? nameResource(reply, service.clientTokens.refusalOf(request), site) : reply
  }
}
