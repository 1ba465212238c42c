import type { OperationPlan, ReachedField } from './plan/plan.ts'

/** What became known of an operation, for whoever answers it. */
export interface PreparedPlan {
  /** It has a credential field, which is then its only root field. */
  readonly credential: boolean
  /** It reaches a field that is not public. */
  readonly requiresIdentity: boolean
  readonly operation: 'query' | 'mutation' | 'subscription'
  /** What a refusal while executing does: reject the whole answer, or leave the field null. */
  readonly ownership: 'reject' | 'partial'
}

/** Tells what of a plan is for others. */
export function describePlan(
  { credential, operation: { operation } }: OperationPlan,
  reached: readonly ReachedField[],
  options: Pick<PreparedPlan, 'ownership'>,
): PreparedPlan {
  const ownership = operation === 'query' ? options.ownership : 'partial'
  return { credential, operation, ownership, requiresIdentity: reached.length > 0 }
}
