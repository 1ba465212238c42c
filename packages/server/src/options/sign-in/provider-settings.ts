import type { ProviderClient } from './provider-client.ts'
import { checkProviderPages } from './provider-page-options.ts'

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
