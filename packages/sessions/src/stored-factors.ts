import type { FactorProof } from '@latchkey/store'
import {
  isStoredCount,
  isStoredText,
  type StoredCheck,
  storedList,
  storedObject,
  storedOrOmitted,
} from '@latchkey/store/internal'

/** Factors that were proven, as sessions and families keep them. */
export const isStoredFactors: StoredCheck = storedList(
  // Older proofs have no category.
  storedObject({ kind: isStoredText, at: isStoredCount, category: storedOrOmitted(isStoredText) }),
)

/** Returns the proofs without those kinds. */
export function withoutKinds(proven: readonly FactorProof[], kinds: readonly string[]): readonly FactorProof[] {
  return proven.filter(({ kind }) => !kinds.includes(kind))
}

/** Returns the proofs with fresh ones in the place of earlier ones of their kinds. */
export function withProofs(proven: readonly FactorProof[], fresh: readonly FactorProof[]): readonly FactorProof[] {
  return [...proven.filter(({ kind }) => !fresh.some((proof) => proof.kind === kind)), ...fresh]
}
