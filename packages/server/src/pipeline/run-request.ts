import type { HttpRequest, HttpResponse } from '@latchkey/http'
import { isOfProvider } from '../options/sign-in/provider-paths.ts'
import type { Service } from '../service/open-service.ts'
import type { OpenableService as Site } from '../service/openable-service.ts'
import { noteForgedOrigin } from './forged-origins.ts'
import type { Column, Passage } from './passage.ts'
import { planSteps, type Step } from './request-steps.ts'
import { nameResource } from './resource-challenges.ts'
import { createRouteTable, findRoute, nowhere, pathOf } from './route-table.ts'
import { setRequestId } from './set-request-id.ts'

/** Answers the requests of a service. */
export interface Pipeline {
  run(request: HttpRequest): Promise<HttpResponse>
  /** Whether the service answers at a path. */
  serves(target: string): boolean
}

type StepsOf = Readonly<Record<Column, readonly Step[]>>

export function createPipeline(site: Site): Pipeline {
  const routes = createRouteTable(site)
  const steps = planSteps({ hasQueue: site.fairQueue !== null })
  return {
    serves: (target) => findRoute(routes, target) !== undefined,
    async run(request) {
      const route = findRoute(routes, request.target)
      const finish = site.measuring?.start()
      const passage = startRequest(request, {
        site,
        listed: route?.listed ?? null,
        resource: route?.resource ?? null,
        handler: route?.handlerOf(request.method),
      })
      const { telemetry } = site.options
      const response = await (telemetry ? trace(passage, telemetry, steps) : passSteps(passage, steps))
      return finishResponse(passage, response, finish)
    },
  }
}

interface Found extends Pick<Passage, 'site' | 'listed' | 'resource'> {
  readonly handler: Passage['handler'] | undefined
}

function startRequest(request: HttpRequest, { site, listed, resource, handler = nowhere }: Found): Passage {
  return {
    site,
    listed,
    resource,
    handler,
    request,
    endTurn: undefined,
    cors: null,
    service: null,
    exchange: null,
    endpoint: null,
    forged: false,
    reading: { credential: null, identity: null },
  }
}

function trace(
  passage: Passage,
  telemetry: NonNullable<Site['options']['telemetry']>,
  steps: StepsOf,
): Promise<HttpResponse> {
  const { request, listed, site } = passage
  // The route is the requested path, except that names of providers are left out.
  const route = listed === null || isOfProvider(listed) ? listed : pathOf(request.target)
  const scheme = site.base.https ? 'https' : 'http'
  const facts = { route, scheme, requestId: site.requestIds.of(request) } as const
  return telemetry.traceRequest(request, facts, () => passSteps(passage, steps))
}

async function passSteps(passage: Passage, steps: StepsOf): Promise<HttpResponse> {
  const { handler } = passage
  try {
    for (const step of steps[handler.column]) {
      const done = step(passage)
      // A turn of the event loop costs more than most steps.
      const response = done instanceof Promise ? await done : done
      if (response) return response
    }
    throw new TypeError('no step has responded')
  } catch (error) {
    return handler.reject(error, passage)
  }
}

function noteForged({ request, site, handler }: Passage, response: HttpResponse, { forgery }: Service): void {
  const isForm = handler.column === 'form' || handler.column === 'linkForm'
  noteForgedOrigin(request, response, { site, forgery, isForm })
}

function finishResponse(
  passage: Passage,
  given: HttpResponse,
  finish: ReturnType<NonNullable<Site['measuring']>['start']> | undefined,
): HttpResponse {
  const { request, site, listed, resource, service, cors } = passage
  const clientTokens = resource && service?.clientTokens
  const named = clientTokens ? nameResource(given, { resource, site, refusal: clientTokens.refusalOf(request) }) : given
  const response = cors ? cors.share(request, named) : named
  if (service && response.status === 403) noteForged(passage, response, service)
  passage.endTurn?.()
  const requestId = site.requestIds.of(request)
  const operation = listed === '/graphql/stream' ? 'subscription' : null
  finish?.({ request, route: listed, status: response.status, requestId, operation })
  return setRequestId(response, requestId)
}
