import type { FactorCategory, FactorProof } from '@latchkey/store'

/** The kinds that are a second factor in addition to a password. */
const held: ReadonlySet<string> = new Set(['totp', 'recovery-code', 'passkey'])

/** Returns a proof with its category. An unknown kind, or a passkey without a category, gets the weakest category. */
export function categorise({ kind, at, category = categoryOf(kind) }: FactorProof): Required<FactorProof> {
  return { kind, at, category }
}

function categoryOf(kind: string): FactorCategory {
  return held.has(kind) ? 'have' : 'know'
}
