import type { FactorCategory, FactorProof } from '@latchkey/store'

/** A proof that says what it shows of the person. */
export type CategorisedProof = Required<FactorProof>

const categories: ReadonlyMap<string, FactorCategory> = new Map([
  ['password', 'know'],
  ['provider', 'know'],
  ['totp', 'have'],
  ['recovery-code', 'have'],
  ['passkey', 'have'],
])

/** Returns a proof with its category: one of an unknown kind, or a passkey without one, counts for as little as it can. */
export function categorise({ kind, at, category = categories.get(kind) ?? 'know' }: FactorProof): CategorisedProof {
  return { kind, at, category }
}
