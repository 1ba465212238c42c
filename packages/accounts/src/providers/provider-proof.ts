import type { FactorCategory, FactorProof } from '@latchkey/store'
import type { ProviderIdentity } from '../contract/provider-identity.ts'
import type { Providers } from './provider-options.ts'

// The methods of RFC 8176 §2 that show what a person knows, has or is.
const known: ReadonlySet<string> = new Set(['pwd', 'pin', 'kba'])
const had: ReadonlySet<string> = new Set(['otp', 'hwk', 'swk', 'sc', 'sms', 'tel'])
const been: ReadonlySet<string> = new Set(['face', 'fpt', 'iris', 'retina', 'vbm'])

/**
 * Returns the proof of a sign-in with a provider: the time when the user signed in there, and one factor, or two if the
 * provider is trusted to report them. Without that time the proof is not fresh.
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
 * Returns the time at which the provider identified its user: the time of the id token, or now. A logout there since
 * then rejects the sign-in, however long the verdict took.
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
