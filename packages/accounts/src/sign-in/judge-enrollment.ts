import type { FactorProof } from '@latchkey/store'
import type { AccountsContext } from '../context/accounts-context.ts'
import type { IdentityAccount } from '../store/account-store.ts'
import { takeStep } from './sign-in-transitions.ts'

/** The policy's demand on a signed-in account. */
export interface Enrollment {
  /**
   * The account may sign in without a second factor until this time, epoch milliseconds; `null`: it has a second factor
   * or needs none.
   */
  readonly enrollmentDueAt: number | null
  /** That time has passed: the account can only set up a factor. */
  readonly mustEnroll: boolean
}

/** The proven factors of a session or family, and the start of the account's grace at sign-in. */
interface OpenedSince {
  readonly factors: readonly FactorProof[]
  readonly enrollmentSince?: number | null
}

export const nothingAsked: Enrollment = { enrollmentDueAt: null, mustEnroll: false }

/** Signed in → signed in, or restricted. It is checked with every request, without another read. */
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
