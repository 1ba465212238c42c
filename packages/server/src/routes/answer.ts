import type { GraphqlHandler } from '@latchkey/graphql'
import { createReplyHeaders, type HttpReply, type HttpRequest } from '@latchkey/http'
import { answerDevelopmentPage } from '../pages/development/development-pages.ts'
import type { Service } from '../service/open-service.ts'
import type { OpenableService as Site } from '../service/openable-service.ts'
import { listedPath } from '../settings/endpoint-path.ts'
import { isOfProvider } from '../settings/providers/provider-paths.ts'
import { answerAuthorization } from './authorization-routes.ts'
import { answerShared } from './cors-stage.ts'
import { refuseHost } from './host-stage.ts'
import { answerJwks } from './jwks.ts'
import { nameReply } from './name-reply.ts'
import { methodsOf } from './page-routes.ts'
import { pages } from './page-table.ts'
import { nothingHere, plainReply } from './plain-reply.ts'
import { answerHealth, answerReadiness } from './probes.ts'
import { answerRelatedOrigins } from './related-origins.ts'
import { nameResource } from './resource-challenges.ts'
import { pass } from './stages.ts'
import { enterProbe, enterTurn, refuseTurn } from './turn-stage.ts'

/** A promise only where something is waited for: each one more is a turn of every request. */
type Reply = Promise<HttpReply> | HttpReply
type Route = (request: HttpRequest, site: Site) => Reply

// `/graphql` stands for the option `path`.
// biome-ignore format: one line each
const routes: ReadonlyMap<string, ReadonlyMap<string, Route>> = new Map<string, ReadonlyMap<string, Route>>([
  ['/graphql', routeOf({ '*': answerWith(({ graphql }) => graphql) })],
  ['/graphql/stream', routeOf({ '*': answerWith(({ streams }) => streams.events) })],
  ...pages.map((entry) => [entry[0], routeOf(methodsOf(entry))] as const),
  ['/jwks',    routeOf({ GET: answerJwks, HEAD: answerJwks })],
  ['/.well-known/webauthn', routeOf({ GET: answerRelatedOrigins, HEAD: answerRelatedOrigins })],
  ['/healthz', routeOf({ GET: answerHealth, HEAD: answerHealth })],
  ['/readyz',  routeOf({ GET: answerReadiness, HEAD: answerReadiness })],
])

const probes: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

/** Answers one request in its turn, with its id. */
export async function answer(given: HttpRequest, site: Site): Promise<HttpReply> {
  const asked = given.target.split('?', 1)[0] ?? ''
  const path = listedPath(asked, site.path) ?? ''
  const route = routes.has(path) || site.authorizationPaths.has(path) ? path : null
  const finish = site.measuring?.start()
  const entered = probes.has(path) ? enterProbe(given, site) : enterTurn(given, site)
  const turn = entered instanceof Promise ? await entered : entered
  const request = turn.ok ? turn.request : given
  const requestId = site.requestIds.of(request)
  const serve = (): Reply =>
    turn.ok
      ? answerHost(path, request, site)
      : answerShared(path, { request, site }, () => refuseTurn(path, turn, { request, site }))
  const { telemetry } = site.options
  // What was asked for is the route itself, with the `path` of the service, but for the names of providers.
  const named = isOfProvider(path) ? path : asked
  const reply = await (telemetry
    ? telemetry.traceRequest(request, { route: route && named, scheme: schemeOf(site), requestId }, async () => serve())
    : serve())
  if (turn.ok) turn.end?.()
  const operation = path === '/graphql/stream' ? 'subscription' : null
  finish?.({ request, route, status: reply.status, requestId, operation })
  return nameReply(reply, requestId)
}

function schemeOf({ base }: Site): 'http' | 'https' {
  return base.https ? 'https' : 'http'
}

function answerHost(path: string, request: HttpRequest, site: Site): Reply {
  const refusal = probes.has(path) ? null : refuseHost(request, site)
  return refusal ?? answerShared(path, { request, site }, () => answerAt(path, request, site))
}

function answerAt(path: string, request: HttpRequest, site: Site): Reply {
  const methods = routes.get(path)
  if (site.authorizationPaths.has(path)) return answerAuthorization(request, site)
  if (!methods) return answerElsewhere(request, site)
  const route = methods.get(request.method) ?? methods.get('*')
  if (route) return route(request, site)
  const allow = ['Allow', [...methods.keys()].join(', ')] as const
  return plainReply(site, {
    status: 405,
    text: 'This method is not allowed. Use a method from the Allow header.',
    headers: [allow],
  })
}

async function answerElsewhere(request: HttpRequest, site: Site): Promise<HttpReply> {
  return (await answerDevelopmentPage(request, site)) ?? nothingHere(site)
}

/** Operations and streams go the same way; they differ in what is answered at its end. */
function answerWith(find: (service: Service) => Pick<GraphqlHandler, 'answer'>): Route {
  return async (request, site) => {
    let service: Service
    try {
      service = await site.open()
    } catch (error) {
      return site.unopened.answer(request, () => Promise.reject(error))
    }
    const reply = await find(service).answer(request, async () => {
      const { reading, forged } = await pass('graphql', { request, site, service })
      return { reading, forged, reply: createReplyHeaders(), reread: () => service.recheck.read(request) }
    })
    return service.clientTokens ? nameResource(reply, service.clientTokens.refusalOf(request), site) : reply
  }
}

function routeOf(methods: Readonly<Record<string, Route>>): ReadonlyMap<string, Route> {
  return new Map(Object.entries(methods))
}
