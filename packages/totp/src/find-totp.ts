import type { EnrolledFactor } from './enrolled-factor.ts'
import { type TotpContext, totpKind } from './totp-context.ts'

/** A TOTP factor that is in force. */
export interface EnrolledTotp extends EnrolledFactor {
  readonly kind: 'totp'
  /** Whether too many wrong codes in a row have disabled it. */
  readonly isDisabled: boolean
}

export async function findTotp(
  { active, failures, maxFailures }: TotpContext,
  accountId: string,
): Promise<EnrolledTotp | null> {
  const factor = await active.read(accountId)
  if (!factor) return null
  const { createdAt, lastUsedAt } = factor.value
  const isDisabled = (await failures.read(accountId)) >= maxFailures
  return { kind: totpKind, createdAt, lastUsedAt, isDisabled }
}
