import type { FactorProof } from '@latchkey/store'

/** How a user has signed in, in the words of OpenID Connect Core §2 and RFC 8176. */
export interface Authentication {
  /** Seconds since the epoch. Omitted: no proof says when it was made, as that of a provider which does not. */
  readonly auth_time?: number
  readonly amr: readonly string[]
  readonly acr: string
}

/** The classes of sign-ins, which `acr_values` may ask for. */
export const acrValues = ['urn:latchkey:1fa', 'urn:latchkey:2fa'] as const

/** What each kind of proof is called; recovery codes and providers have no word of their own. */
const methods: Readonly<Record<string, string>> = {
  password: 'pwd',
  'email-code': 'otp',
  totp: 'otp',
  'recovery-code': 'otp',
  passkey: 'hwk',
}

/** Returns what a token says of a sign-in. `authenticatedAt`: epoch milliseconds; `null`, when the last proof was made. */
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

/** Two proofs of one category are not two factors; a passkey that has verified its user is two by itself. */
function hasTwoCategories(factors: readonly FactorProof[]): boolean {
  const categories = factors.map(({ kind, category }) => category ?? (kind === 'password' ? 'know' : 'have'))
  return new Set(categories.flatMap((category) => category.split('+'))).size > 1
}
