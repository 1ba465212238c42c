import { startDuration } from '@latchkey/core/internal'
import type { AccountsContext } from '../../context/accounts-context.ts'
import type { Accounts } from '../../contract/accounts.ts'
import { offered } from '../../errors.ts'
import { guardCode } from '../../sign-in/guard-guesses.ts'
import { testFactor } from '../../sign-in/test-factor.ts'
import { findHolder, refuseEnded, removeFactor } from './change-factors.ts'
import type { FactorChangeResult } from './factor-inputs.ts'
import { refuseFactor } from './report-factors.ts'

/** Without an authenticator app no code is tested, so no recovery code is spent. */
export async function disableTotp(
  context: AccountsContext,
  input: Parameters<Accounts['disableTotp']>[0],
): Promise<FactorChangeResult> {
  const elapsed = startDuration()
  const totp = offered(context.totp)
  const holder = await findHolder(context, input)
  if (!holder || !(await totp.find(holder.account.id))) return refuseEnded(context, input, 'totp')
  const { id: accountId } = holder.account
  const { attempt } = holder
  const shown = { code: input.code }
  const test = () => testFactor(context, { account: holder.account, binding: null, attempt }, shown)
  const tested = await guardCode(context, { accountId, shown, attempt }, test)
  if (tested.outcome !== 'right-factor') {
    return refuseFactor(context, { tested, accountId, attempt }, elapsed())
  }
  const removed = await removeFactor(context, holder, { factor: 'totp', remove: () => totp.remove(accountId) })
  return removed ?? refuseEnded(context, input, 'totp')
}
