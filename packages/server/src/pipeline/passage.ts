import type { Exchange, RequestSteps } from '@latchkey/graphql/internal'
import type { Cors, HttpRequest, HttpResponse, IdentityReading } from '@latchkey/http'
import type { Identity } from '@latchkey/rbac'
import type { ServiceResource } from '../options/oauth/service-resources.ts'
import type { Service } from '../service/open-service.ts'
import type { OpenableService as Site } from '../service/openable-service.ts'

/** The columns of the table of steps. */
export type Column =
  | 'graphql'
  | 'stream'
  | 'tools'
  | 'page'
  | 'form'
  | 'link'
  | 'linkForm'
  | 'posted'
  | 'oauth'
  | 'public'
  | 'probe'

/** A promise only if the reply must wait, because each promise costs every request a turn of the event loop. */
export type Reply = Promise<HttpResponse> | HttpResponse

/** How one method of a path is answered. */
export interface RouteHandler {
  readonly column: Column
  /** The steps of GraphQL; `null`: the path answers something else. */
  readonly endpoint: ((service: Service) => RequestSteps) | null
  /** The size limit of its form, in bytes. Omitted: the default limit. */
  readonly formBytes?: number | undefined
  readonly respond: (passage: Passage) => Reply
  /** Responds to an error thrown by a step. */
  readonly reject: (error: unknown, passage: Passage) => HttpResponse
}

/** The handlers of a path. */
export interface Route {
  /** The path as the tables list it: `/graphql` for the option `graphql.path`, and `:name` for the name of a provider. */
  readonly listed: string
  /** The resource of clients' access tokens at this path; `null` if it accepts none. */
  readonly resource: ServiceResource | null
  readonly handlerOf: (method: string) => RouteHandler
}

/** A request and the results of its steps. */
export interface Passage {
  readonly site: Site
  /** `null` for an unknown path. */
  readonly listed: string | null
  readonly resource: Route['resource']
  readonly handler: RouteHandler
  request: HttpRequest
  /** Called at the end of a turn. */
  endTurn: (() => void) | undefined
  cors: Cors | null
  service: Service | null
  /** For GraphQL, after `checkHead`: the request at its endpoint. */
  exchange: Exchange | null
  endpoint: RequestSteps | null
  forged: boolean
  reading: IdentityReading<Identity>
}

/** Returns the service of a request behind the step `openService`. */
export function serviceOf({ service }: Passage): Service {
  if (!service) throw new TypeError('the service is not open')
  return service
}
