import type { ProviderClient } from './provider-client.ts'
import { checkProviderPages } from './provider-page-options.ts'

/** A provider of the pages. */
export interface PageProvider {
  /** The name in paths. */
  readonly name: string
  /** The name on pages. */
  readonly label: string
  readonly client: ProviderClient
  /** Whether the provider sends no time of authentication, and each sign-in counts as just proven. */
  readonly isUndated: boolean
}

/** The providers of the pages. */
export interface ProviderSettings {
  readonly byName: ReadonlyMap<string, PageProvider>
  /** Whether a user whom no account is linked to gets one. */
  readonly opensAccounts: boolean
  /** Whether requests from other sites come without the session cookie (`SameSite=Strict`). */
  readonly hidesSession: boolean
}

interface Options {
  readonly providers?:
    | {
        readonly clients?: Readonly<Record<string, ProviderClient>>
        readonly labels?: Readonly<Record<string, string>>
        readonly newAccounts?: string
        readonly undatedProofs?: readonly string[]
      }
    | undefined
  readonly signUp: unknown
  readonly cookies?: { readonly sameSite?: 'Lax' | 'Strict' } | undefined
}

/**
 * Returns the providers that have pages; `null` without providers.
 *
 * @param origin the origin of `baseUrl`.
 *
 * @throws TypeError that names an unusable option, or a value to register at the provider.
 */
export function readProviderSettings(
  { providers = {}, signUp, cookies = {} }: Options,
  origin: string,
): ProviderSettings | null {
  const { clients = {}, labels = {}, newAccounts, undatedProofs = [] } = providers
  checkProviderPages({ clients, labels }, origin)
  const found = Object.entries(clients).map(([name, client]): [string, PageProvider] => {
    const isUndated = undatedProofs.includes(client.issuer)
    const label = Object.hasOwn(labels, name) ? labels[name] : known.get(client.provider)
    return [name, { name, label: label ?? name, client, isUndated }]
  })
  if (found.length === 0) return null
  return {
    byName: new Map(found),
    opensAccounts: newAccounts === 'verified-email' && signUp !== 'closed',
    hidesSession: cookies.sameSite === 'Strict',
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
