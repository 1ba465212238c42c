import { checkOptionNames } from '@latchkey/core/internal'
import type { LinkStore } from '@latchkey/store'

/** How users sign in with providers. */
export interface ProvidersOptions {
  /**
   * What comes of a user whom no account is linked to. `'verified-email'`: an account with the address that the provider has
   * verified, where `signUp` is not closed and no account has the address. `'closed'`: none.
   * @default 'closed'
   */
  readonly newAccounts?: 'verified-email' | 'closed'
  /**
   * The issuers whose `amr` is believed: who has shown two factors there is asked for none here (RFC 8176).
   * @default [], so a sign-in with a provider is one factor
   */
  readonly trustedAmr?: readonly string[]
  /**
   * The issuers that do not say when a user has signed in there, and whose callbacks count as fresh proofs all the same: who
   * has the browser of a user can make one.
   * @default [], so they prove nothing fresh
   */
  readonly undatedProofs?: readonly string[]
}

/** The options with their defaults, and where links are kept. */
export interface Providers {
  readonly links: LinkStore
  /** Whether a user whom no account is linked to gets one. */
  readonly opensAccounts: boolean
  readonly trustedAmr: ReadonlySet<string>
  readonly undatedProofs: ReadonlySet<string>
}

/**
 * Returns the options as `createAccounts` reads them: for who takes them as an option of its own, and opens the accounts later.
 * `null`: no one signs in with a provider.
 *
 * @throws TypeError that names what is missing, unknown or cannot be used.
 */
export function readProviders(given: ProvidersOptions | undefined, links: LinkStore | null): Providers | null {
  if (given === undefined) return null
  const names = { newAccounts: true, trustedAmr: true, undatedProofs: true } as const
  const { newAccounts = 'closed', trustedAmr = [], undatedProofs = [] } = checkOptionNames('"providers"', given, names)
  if (newAccounts !== 'closed' && newAccounts !== 'verified-email') {
    throw new TypeError("\"providers.newAccounts\" must be 'verified-email' or 'closed'")
  }
  if (!links) throw new TypeError('"providers" needs "links"')
  return {
    links,
    opensAccounts: newAccounts === 'verified-email',
    trustedAmr: readIssuers('trustedAmr', trustedAmr),
    undatedProofs: readIssuers('undatedProofs', undatedProofs),
  }
}

function readIssuers(name: string, issuers: readonly string[]): ReadonlySet<string> {
  if (Array.isArray(issuers) && issuers.every((issuer) => typeof issuer === 'string' && issuer !== ''))
    return new Set(issuers)
  throw new TypeError(`"providers.${name}" must be a list of issuers`)
}
