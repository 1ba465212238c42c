import { isProviderClient, type ProviderClient } from './provider-client.ts'
import { callbackPath, isProviderName } from './provider-paths.ts'

interface ProviderPageOptions {
  readonly clients: Readonly<Record<string, ProviderClient>>
  readonly labels: Readonly<Record<string, string>>
}

/**
 * @param origin the origin of `baseUrl`.
 *
 * @throws TypeError that names an unusable option, or a value to register at the provider.
 */
export function checkProviderPages({ clients, labels }: ProviderPageOptions, origin: string): void {
  checkLabels(labels, clients)
  for (const [name, client] of Object.entries(clients)) checkClient(name, client, origin)
}

function checkClient(name: string, client: unknown, origin: string): void {
  if (!isProviderName(name)) {
    throw new TypeError(
      `"signIn.providers.clients": "${name}" must be 1 to 32 lower-case letters and digits, with hyphens between them`,
    )
  }
  if (!isProviderClient(client)) {
    throw new TypeError(
      `"signIn.providers.clients.${name}" must be what createOAuthClient of @latchkey/oauth/client returns`,
    )
  }
  const expected = `${origin}${callbackPath(name)}`
  if (client.redirectUri === expected) return
  throw new TypeError(
    `"signIn.providers.clients.${name}" must have the "redirectUri" ${expected}, which is registered at the provider as well`,
  )
}

function checkLabels(labels: Readonly<Record<string, unknown>>, clients: object): void {
  for (const [name, label] of Object.entries(labels)) {
    if (!Object.hasOwn(clients, name)) throw new TypeError(`"signIn.providers.labels.${name}" names no client`)
    if (typeof label === 'string' && /^\S(?:.{0,38}\S)?$/u.test(label)) continue
    throw new TypeError(`"signIn.providers.labels.${name}" must be 1 to 40 characters`)
  }
}
