import type { HttpResponse } from '@latchkey/http'
import type { CoalescedCheck } from './coalesced-check.ts'
import type { Service } from './open-service.ts'
import type { ServicePlan } from './plan/service-plan.ts'

/**
 * A plan and the way to open it: what routes answer from, whether or not the service is open.
 *
 * One service has three forms. A `ServicePlan` is what follows from the options alone: it needs neither a secret nor a
 * store. A `Service` is the parts of an open one. A `Server` is what the application holds.
 */
export interface OpenableService extends ServicePlan {
  /** Returns the service, which the first call opens. */
  open(): Promise<Service>
  /** Requests that ask whether the service is ready have the stores asked once for all of them. */
  readonly shareReadiness: CoalescedCheck<HttpResponse>
}

const known = new WeakMap<object, OpenableService>()

/**
 * Remembers the service of a server, from which `./testing` creates another one. It is not a property of anything that
 * leaves this package: neither the server nor its options nor a request leads to it.
 */
export function rememberService(server: object, service: OpenableService): void {
  known.set(server, service)
}

/** Returns the service of an object that `createServer` returned, or `null`: a copy of a server has none. */
export function serviceOf(server: unknown): OpenableService | null {
  return typeof server === 'object' && server !== null ? (known.get(server) ?? null) : null
}
