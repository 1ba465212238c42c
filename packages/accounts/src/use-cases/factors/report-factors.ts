import type { JudgedAttempt } from '../../attempt.ts'
import type { AccountsContext } from '../../context/accounts-context.ts'
import { invalidCredentials, type Rejection } from '../../errors.ts'
import type { SecondFactorKind } from '../../factors/second-factors.ts'
import type { TestedFactor } from '../../sign-in/test-factor.ts'
import type { StoredAccount } from '../../store/account-store.ts'
import type { AuditedEvent } from '../../trail/audited-kinds.ts'
import type { TrailStep } from '../../trail/create-audit-recorder.ts'

/** The account of an event, and the origin of the request. */
export interface Affected {
  readonly account: StoredAccount
  readonly attempt: JudgedAttempt
}

/** Says that a factor was not accepted, and whether that has disabled it. */
export async function refuseFactor(
  { trail }: AccountsContext,
  refused: { readonly tested: TestedFactor; readonly accountId: string | null; readonly attempt: JudgedAttempt },
  durationMs: number,
): Promise<Rejection<'invalid-credentials'>> {
  const { tested, accountId, attempt } = refused
  const { kind: factor, detail: reason } = tested
  // Anybody can answer what is no challenge, as often as they like: nothing was tested, so the log is not filled with it.
  const isRow = async (): Promise<boolean> => accountId !== null && tested.outcome !== 'challenge-ended'
  await trail.record({ type: 'second-factor.failed', ...attempt, accountId, factor, reason, durationMs }, isRow)
  if (tested.hasDisabled && accountId !== null)
    await trail.record({ type: 'factor.disabled', ...attempt, accountId, factor })
  return invalidCredentials
}

/** The change of a factor, of which is written that it is about to be made. */
export type FactorStep = TrailStep<AuditedEvent>

/** A factor that was added or removed. */
export interface ChangedFactor extends Affected {
  readonly factor: SecondFactorKind
  /** Of a passkey. */
  readonly id?: string | null
}

export async function reportAdded(
  context: AccountsContext,
  adding: FactorStep,
  { factor, id = null, account, attempt }: ChangedFactor,
): Promise<void> {
  const { id: accountId, email: to } = account
  await adding.done({ type: 'factor.added', ...attempt, accountId, factor, id })
  const data = { at: context.now(), resetUrl: context.mailLinks.requestPasswordReset, factor }
  const mail = { kind: 'factor-added', data } as const
  context.mails.send({ mail, accountId, attempt, to })
}

export async function reportRemoved(
  context: AccountsContext,
  removing: FactorStep,
  { factor, id = null, account, attempt }: ChangedFactor,
): Promise<void> {
  const { id: accountId, email: to } = account
  await removing.done({ type: 'factor.removed', ...attempt, accountId, factor, id })
  const { account: accountUrl, requestPasswordReset: resetUrl } = context.mailLinks
  const mail = { kind: 'factor-removed', data: { at: context.now(), accountUrl, resetUrl, factor } } as const
  context.mails.send({ mail, accountId, attempt, to })
}
