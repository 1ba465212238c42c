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

/** A provider of the pages. */
export interface PageProvider {
  /** In paths. */
  readonly name: string
  /** On pages. */
  readonly label: string
  readonly client: ProviderClient
  /** It does not say when a user has signed in there, and is believed that it was now. */
  readonly isUndated: boolean
}

/** The providers of the pages. */
export interface ProviderSettings {
  readonly byName: ReadonlyMap<string, PageProvider>
  /** Whether a user whom no account is linked to gets one. */
  readonly opensAccounts: boolean
  /** The session cookie is not shown to what comes from another site. */
  readonly hidesSession: boolean
}

interface Options {
  readonly providers?:
    | (ProviderPageOptions & { readonly newAccounts?: string; readonly undatedProofs?: readonly string[] })
    | undefined
  readonly signUp: unknown
  readonly cookies?: { readonly sessionSameSite?: 'Lax' | 'Strict' } | undefined
}

/**
 * Returns the providers that there are pages for; `null`: there are none.
 *
 * @param origin that of `baseUrl`.
 *
 * @throws TypeError that names what cannot be used, or what must be registered at the provider.
 */
export function readProviderSettings(
  { providers = {}, signUp, cookies = {} }: Options,
  origin: string,
): ProviderSettings | null {
  const { clients = {}, labels = {}, newAccounts, undatedProofs = [] } = providers
  checkLabels(labels, clients)
  const found = Object.entries(clients).map(([name, client]): [string, PageProvider] => {
    checkClient(name, client, origin)
    const isUndated = undatedProofs.includes(client.issuer)
    const label = Object.hasOwn(labels, name) ? labels[name] : known.get(client.provider)
    return [name, { name, label: label ?? name, client, isUndated }]
  })
  if (found.length === 0) return null
  return {
    byName: new Map(found),
    opensAccounts: newAccounts === 'verified-email' && signUp !== 'closed',
    hidesSession: cookies.sessionSameSite === 'Strict',
  }
}

const known: ReadonlyMap<string, string> = new Map([
  ['google', 'Google'],
  ['github', 'GitHub'],
  ['gitlab', 'GitLab'],
  ['microsoft', 'Microsoft'],
  ['apple', 'Apple'],
  ['discord', 'Discord'],
])

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
