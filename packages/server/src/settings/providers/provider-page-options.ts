import { isProviderClient, type ProviderClient } from './provider-client.ts'
import { callbackPath, isProviderName } from './provider-paths.ts'

/** What of `providers` is for the routes and pages. */
export interface ProviderPageOptions {
  /**
   * Clients of providers, as `createOAuthClient` of `@latchkey/oauth/client` returns them, by their names in the paths of the
   * service: 1 to 32 lower-case letters and digits, with hyphens between them. The redirect URI of each is
   * `/sign-in/with/<name>/callback` of `baseUrl`.
   * @default {}, so callbacks come to routes of the application
   */
  readonly clients?: Readonly<Record<string, ProviderClient>>
  /** What the pages call them. @default `Google` and so on for what `@latchkey/oauth` knows, else the name in the paths */
  readonly labels?: Readonly<Record<string, string>>
}

/**
 * @param origin that of `baseUrl`.
 *
 * @throws TypeError that names what cannot be used, or what must be registered at the provider.
 */
export function checkProviderPages({ clients, labels }: Required<ProviderPageOptions>, origin: string): void {
  checkLabels(labels, clients)
  for (const [name, client] of Object.entries(clients)) checkClient(name, client, origin)
}

function checkClient(name: string, client: unknown, origin: string): void {
  if (!isProviderName(name)) {
    throw new TypeError(
      `"providers.clients": "${name}" must be 1 to 32 lower-case letters and digits, with hyphens between them`,
    )
  }
  if (!isProviderClient(client)) {
    throw new TypeError(`"providers.clients.${name}" must be what createOAuthClient of @latchkey/oauth/client returns`)
  }
  const expected = `${origin}${callbackPath(name)}`
  if (client.redirectUri === expected) return
  throw new TypeError(
    `"providers.clients.${name}" must have the "redirectUri" ${expected}, which is registered at the provider as well`,
  )
}

function checkLabels(labels: Readonly<Record<string, unknown>>, clients: object): void {
  for (const [name, label] of Object.entries(labels)) {
    if (!Object.hasOwn(clients, name)) throw new TypeError(`"providers.labels.${name}" names no client`)
    if (typeof label === 'string' && /^\S(?:.{0,38}\S)?$/u.test(label)) continue
    throw new TypeError(`"providers.labels.${name}" must be 1 to 40 characters`)
  }
}
