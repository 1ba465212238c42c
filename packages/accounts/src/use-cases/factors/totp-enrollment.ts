import { startDuration } from '@latchkey/core/internal'
import type { AccountsContext } from '../../context/accounts-context.ts'
import type { Accounts } from '../../contract/accounts.ts'
import { offered } from '../../errors.ts'
import { guardCode } from '../../sign-in/guard-guesses.ts'
import { judged, type TestedFactor, untested } from '../../sign-in/test-factor.ts'
import type { StoredAccount } from '../../store/account-store.ts'
import {
  bindingOf,
  claimActivation,
  dropClaim,
  findHolder,
  finishActivation,
  planAdding,
  refuseEnded,
} from './change-factors.ts'
import type { EnrollmentResult, FactorChangeResult, FactorInput } from './factor-inputs.ts'
import { refuseFactor } from './report-factors.ts'

export async function startTotpEnrollment(context: AccountsContext, input: FactorInput): Promise<EnrollmentResult> {
  const totp = offered(context.totp)
  const holder = await findHolder(context, input)
  if (!holder) return refuseEnded(context, input, 'totp')
  const { id, email } = holder.account
  return { ok: true, ...(await totp.enroll(id, email, { binding: bindingOf(holder) })) }
}

/** The code is checked, the epoch raised, and then the secret activated. It does not count before. */
export async function confirmTotpEnrollment(
  context: AccountsContext,
  input: Parameters<Accounts['confirmTotpEnrollment']>[0],
): Promise<FactorChangeResult> {
  const elapsed = startDuration()
  const totp = offered(context.totp)
  const holder = await findHolder(context, input)
  if (!holder) return refuseEnded(context, input, 'totp')
  const { attempt } = holder
  const { id: accountId } = holder.account
  const adding = planAdding(context, holder, 'totp')
  let account: StoredAccount | null = null
  const beforeActivation = async (): Promise<boolean> => {
    account = await claimActivation(context, holder, { added: 'totp', adding })
    return account !== null
  }
  const binding = bindingOf(holder)
  const confirm = async () => judged('totp', await totp.confirm(accountId, input.code, { binding, beforeActivation }))
  const tested = await guardCode(context, { accountId, shown: { code: input.code }, attempt }, confirm)
  const claimed = account as StoredAccount | null
  const refuse = async (refused: TestedFactor) => {
    await adding.failed()
    return refuseFactor(context, { tested: refused, accountId, attempt }, elapsed())
  }
  const { proof } = tested
  if (!proof) {
    if (claimed) await dropClaim(context, holder)
    return refuse(tested)
  }
  const takeBack = (): Promise<boolean> => totp.remove(accountId)
  const finished =
    claimed && (await finishActivation(context, holder, { factor: 'totp', account: claimed, proof, adding, takeBack }))
  return finished ?? refuse(untested('totp', 'account-changed'))
}
