import type { FactorProof } from '@latchkey/store'
import type { AccountsContext } from '../context/accounts-context.ts'
import type { IdentityAccount } from '../store/account-store.ts'
import { takeStep } from './sign-in-transitions.ts'

/** What the policy asks of an account that is signed in. */
export interface Enrollment {
  /** Until when it may do without a second factor, epoch milliseconds; `null`: it has one, or needs none. */
  readonly enrollmentDueAt: number | null
  /** That is over: nothing is open to it but setting up a factor. */
  readonly mustEnroll: boolean
}

/** What was proven for a session or family, and since when its account was asked at sign-in. */
interface OpenedSince {
  readonly factors: readonly FactorProof[]
  readonly enrollmentSince?: number | null
}

export const nothingAsked: Enrollment = { enrollmentDueAt: null, mustEnroll: false }

/** Signed in → signed in, or restricted: asked with every request, from what it has read anyway. */
export function judgeEnrollment(
  { requiredFactor, now }: Pick<AccountsContext, 'requiredFactor' | 'now'>,
  account: IdentityAccount,
  { factors, enrollmentSince = null }: OpenedSince,
): Enrollment {
  const enrollmentDueAt = requiredFactor?.dueAt(account, enrollmentSince) ?? null
  if (enrollmentDueAt === null) return nothingAsked
  const isOverdue = now() >= enrollmentDueAt
  const { to } = takeStep('signed-in', 'enrollment', { account, factors, enrolled: account.enrolled, isOverdue })
  return { enrollmentDueAt, mustEnroll: to === 'restricted' }
}
