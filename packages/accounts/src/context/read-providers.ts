import { checkOptionNames } from '@latchkey/core/internal'
import type { Providers } from '../providers/provider-options.ts'
import type { AccountsOptions } from './accounts-options.ts'

/**
 * Returns `signIn.providers` with its defaults.
 *
 * @throws TypeError that names what is missing, unknown or not valid.
 */
export function readProviders(given: AccountsOptions['signIn']['providers']): Omit<Providers, 'links'> | null {
  if (given === undefined) return null
  const names = { newAccounts: true, trustedAmr: true, undatedProofs: true } as const
  const {
    newAccounts = 'closed',
    trustedAmr = [],
    undatedProofs = [],
  } = checkOptionNames('"signIn.providers"', given, names)
  if (newAccounts !== 'closed' && newAccounts !== 'verified-email') {
    throw new TypeError("\"signIn.providers.newAccounts\" must be 'verified-email' or 'closed'")
  }
  return {
    opensAccounts: newAccounts === 'verified-email',
    trustedAmr: readIssuers('trustedAmr', trustedAmr),
    undatedProofs: readIssuers('undatedProofs', undatedProofs),
  }
}

function readIssuers(name: string, issuers: readonly string[]): ReadonlySet<string> {
  if (Array.isArray(issuers) && issuers.every((issuer) => typeof issuer === 'string' && issuer !== ''))
    return new Set(issuers)
  throw new TypeError(`"signIn.providers.${name}" must be a list of issuers`)
}
