import type { Service } from './open-service.ts'
import type { ServiceFoundation } from './service-foundation.ts'

/** What requests are answered from. */
export interface Site extends ServiceFoundation {
  /** Gives the service; opens it where nobody did before. */
  open(): Promise<Service>
}

const sites = new WeakMap<object, Site>()

/**
 * Keeps what a server is made of beside it, for `./testing` to make another one of. It hangs on nothing that leaves this
 * package: whoever has the server, its options or a request gets at none of it.
 */
export function rememberSite(server: object, site: Site): void {
  sites.set(server, site)
}

/** Gives what `createServer` made this very object of, or `null`: a copy of a server is none. */
export function siteOf(server: unknown): Site | null {
  return typeof server === 'object' && server !== null ? (sites.get(server) ?? null) : null
}
