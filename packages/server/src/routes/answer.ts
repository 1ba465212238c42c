import type { HttpReply, HttpRequest } from '@latchkey/http'
import type { OpenableService as Site } from '../service/openable-service.ts'
import { isOfProvider } from '../settings/providers/provider-paths.ts'
import { applyCors } from './cors-stage.ts'
import { refuseHost } from './host-stage.ts'
import { nothingHere } from './plain-reply.ts'
import { findRoute, pathOf, type Reply, type Route, type RouteTable } from './route-table.ts'
import { setRequestId } from './set-request-id.ts'
import { enterProbe, enterTurn, refuseTurn } from './turn-stage.ts'

const probes: ReadonlySet<string | undefined> = new Set(['/healthz', '/readyz'])

/** Answers one request in its turn, with its id. */
export async function answer(given: HttpRequest, site: Site, routes: RouteTable): Promise<HttpReply> {
  const found = findRoute(routes, given.target)
  const finish = site.measuring?.start()
  const entered = probes.has(found?.listed) ? enterProbe(given, site) : enterTurn(given, site)
  const turn = entered instanceof Promise ? await entered : entered
  const request = turn.ok ? turn.request : given
  const requestId = site.requestIds.of(request)
  const serve = (): Reply =>
    turn.ok
      ? answerHost(found, request, site)
      : applyCors(found?.listed, { request, site }, () => refuseTurn(found?.listed, turn, { request, site }))
  const { telemetry } = site.options
  const reply = await (telemetry
    ? telemetry.traceRequest(request, { route: tracedAs(found, given), scheme: schemeOf(site), requestId }, async () =>
        serve(),
      )
    : serve())
  if (turn.ok) turn.end?.()
  const route = found?.listed ?? null
  const operation = route === '/graphql/stream' ? 'subscription' : null
  finish?.({ request, route, status: reply.status, requestId, operation })
  return setRequestId(reply, requestId)
}

/** What was asked for is the route itself, with the `path` of the service, but for the names of providers. */
function tracedAs(found: Route | undefined, { target }: HttpRequest): string | null {
  if (!found) return null
  return isOfProvider(found.listed) ? found.listed : pathOf(target)
}

function schemeOf({ base }: Site): 'http' | 'https' {
  return base.https ? 'https' : 'http'
}

function answerHost(found: Route | undefined, request: HttpRequest, site: Site): Reply {
  const refusal = probes.has(found?.listed) ? null : refuseHost(request, site)
  return (
    refusal ??
    applyCors(found?.listed, { request, site }, () => (found ? found.answer(request, site) : nothingHere(site)))
  )
}
