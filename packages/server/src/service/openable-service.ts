import type { HttpResponse } from '@latchkey/http'
import type { CoalescedCheck } from './coalesced-check.ts'
import type { Service } from './open-service.ts'
import type { ServicePlan } from './plan/service-plan.ts'

/**
 * A plan with a function that opens it. Routes use it whether or not the service is open.
 *
 * A service has three forms. A `ServicePlan` is derived from the options, without secrets and stores. A `Service` has
 * the parts of an open service. A `Server` is the application's object.
 */
export interface OpenableService extends ServicePlan {
  /** Returns the service, which the first call opens. */
  open(): Promise<Service>
  /** Shares a check of the stores among concurrent requests to `/readyz`. */
  readonly shareReadiness: CoalescedCheck<HttpResponse>
}

const known = new WeakMap<object, OpenableService>()

/**
 * Remembers the service of a server. `./testing` creates another service from it. It is no property, so that neither
 * the server nor its options nor a request leads to it.
 */
export function rememberService(server: object, service: OpenableService): void {
  known.set(server, service)
}

/** Returns the service of an object that `createServer` returned, or `null`, also for a copy. */
export function serviceOf(server: unknown): OpenableService | null {
  return typeof server === 'object' && server !== null ? (known.get(server) ?? null) : null
}
