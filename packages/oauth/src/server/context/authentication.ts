import type { FactorProof } from '@latchkey/store'

/** How a user has signed in, in the words of OpenID Connect Core §2 and RFC 8176. */
export interface Authentication {
  /** The time of the sign-in, in epoch seconds. Omitted: no proof has a time, for example if a provider does not state it. */
  readonly auth_time?: number
  readonly amr: readonly string[]
  readonly acr: string
}

/** The classes of sign-ins that `acr_values` can request. */
export const acrValues = ['urn:latchkey:1fa', 'urn:latchkey:2fa'] as const

/** The `amr` value of each kind of proof. RFC 8176 has no value for recovery codes and providers. */
const methods: Readonly<Record<string, string>> = {
  password: 'pwd',
  'email-code': 'otp',
  totp: 'otp',
  'recovery-code': 'otp',
  passkey: 'hwk',
}

/** Returns the claims about a sign-in. `authenticatedAt`: epoch milliseconds; `null`: the time of the latest proof. */
export function authenticationOf(
  factors: readonly FactorProof[],
  authenticatedAt: number | null = null,
): Authentication {
  const at = authenticatedAt ?? Math.max(0, ...factors.map((factor) => factor.at))
  const isTwo = hasTwoCategories(factors)
  const named = factors.flatMap(({ kind }) => methods[kind] ?? [])
  return {
    ...(at > 0 && { auth_time: Math.floor(at / 1000) }),
    amr: [...new Set([...named, ...(isTwo ? ['mfa'] : [])])],
    acr: isTwo ? acrValues[1] : acrValues[0],
  }
}

/** Two proofs of the same category are one factor. A passkey with user verification counts as two factors. */
function hasTwoCategories(factors: readonly FactorProof[]): boolean {
  const categories = factors.map(({ kind, category }) => category ?? (kind === 'password' ? 'know' : 'have'))
  return new Set(categories.flatMap((category) => category.split('+'))).size > 1
}
