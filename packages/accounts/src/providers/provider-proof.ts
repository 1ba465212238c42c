import type { FactorCategory, FactorProof } from '@latchkey/store'
import type { ProviderIdentity } from '../contract/provider-identity.ts'
import type { Providers } from './provider-options.ts'

// The methods of RFC 8176 §2 that show what a person knows, has or is.
const known: ReadonlySet<string> = new Set(['pwd', 'pin', 'kba'])
const had: ReadonlySet<string> = new Set(['otp', 'hwk', 'swk', 'sc', 'sms', 'tel'])
const been: ReadonlySet<string> = new Set(['face', 'fpt', 'iris', 'retina', 'vbm'])

/**
 * Returns what a sign-in with a provider proves: when the user signed in there, and one factor unless the provider is trusted to
 * say that there were two. Of a time that it does not say, it proves nothing fresh.
 */
export function proofOf(
  { trustedAmr, undatedProofs }: Pick<Providers, 'trustedAmr' | 'undatedProofs'>,
  { issuer, amr, authenticatedAt }: Pick<ProviderIdentity, 'issuer' | 'amr' | 'authenticatedAt'>,
  now: number,
): Required<FactorProof> {
  const undated = undatedProofs.has(issuer) ? now : 0
  const at = Math.max(0, Math.min(Math.floor(authenticatedAt ?? undated), now))
  return { kind: 'provider', at, category: trustedAmr.has(issuer) ? categoryOf(amr) : 'know' }
}

/**
 * Returns when a provider has said who its user is: by its id token, or now. A logout there since then ends the sign-in, however long
 * the verdict has taken.
 */
export function saidAt({ claims = {} }: Pick<ProviderIdentity, 'claims'>, now: number): number {
  const at = typeof claims.iat === 'number' ? Math.floor(claims.iat * 1000) : now
  return Math.max(0, Math.min(at, now))
}

function categoryOf(amr: readonly string[]): FactorCategory {
  const shows = (methods: ReadonlySet<string>): boolean => amr.some((method) => methods.has(method))
  if (shows(had) && shows(been)) return 'are+have'
  return amr.includes('mfa') || (shows(had) && shows(known)) ? 'know+have' : 'know'
}
