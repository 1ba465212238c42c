import { startDuration } from '@latchkey/core/internal'
import type { FactorProof } from '@latchkey/store'
import type { AccountsContext } from '../../context/accounts-context.ts'
import type { Accounts } from '../../contract/accounts.ts'
import { offered } from '../../errors.ts'
import { kindOfCode } from '../../factors/second-factor-kinds.ts'
import { freshMs } from '../../sign-in/fresh-proof.ts'
import { guardCode } from '../../sign-in/guard-guesses.ts'
import { type TestedFactor, testFactor, untested } from '../../sign-in/test-factor.ts'
import type { StoredAccount } from '../../store/account-store.ts'
import {
  claimChange,
  deliverChange,
  findHolder,
  type Holder,
  planAdding,
  refuseEnded,
  settleStored,
} from './change-factors.ts'
import type { FactorChangeResult } from './factor-inputs.ts'
import { refuseFactor, reportAdded } from './report-factors.ts'

export async function regenerateRecoveryCodes(
  context: AccountsContext,
  input: Parameters<Accounts['regenerateRecoveryCodes']>[0],
): Promise<FactorChangeResult> {
  const elapsed = startDuration()
  const recoveryCodes = offered(context.recoveryCodes)
  const holder = await findHolder(context, input)
  if (!holder) return refuseEnded(context, input, 'recovery-code')
  const { id: accountId } = holder.account
  const tested = await testOwner(context, holder, input.code ?? null)
  if (tested.proof === null) {
    return refuseFactor(context, { tested, accountId, attempt: holder.attempt }, elapsed())
  }
  const adding = planAdding(context, holder, 'recovery-code')
  await adding.begin()
  const claimed = await claimChange(context, holder, null)
  if (!claimed) {
    await adding.failed()
    return refuseEnded(context, input, 'recovery-code')
  }
  const codes = await recoveryCodes.generate(accountId)
  const takeBack = (): Promise<boolean> => recoveryCodes.remove(accountId)
  // Nobody knows the codes if it throws, so they may stay.
  const account = await settleStored(context, holder, { account: claimed, mayStay, takeBack })
  if (!account) {
    await adding.failed()
    return refuseEnded(context, input, 'recovery-code')
  }
  await reportAdded(context, adding, { factor: 'recovery-code', account, attempt: holder.attempt })
  return { ok: true, codes, ...(await deliverChange(context, holder, { account, factors: [tested.proof] })) }
}

/**
 * Whether neither an undone change of address nor a reset of the factors has changed the account, which has not found codes that
 * were stored later: the one removes the password, and the other each factor. After a change of the password they stay.
 */
function mayStay(latest: StoredAccount | null): boolean {
  return latest !== null && latest.passwordHash !== null && latest.enrolled.length > 0
}

/**
 * Tests a code of the authenticator app, or if the account has no usable app, a passkey that was presented just now.
 */
async function testOwner(context: AccountsContext, holder: Holder, code: string | null): Promise<TestedFactor> {
  const { attempt } = holder
  const { id: accountId } = holder.account
  const app = await context.totp?.find(accountId)
  if (code !== null) {
    if (kindOfCode(code) !== 'totp') return untested('totp', 'factor-wrong')
    const test = () => testFactor(context, { account: holder.account, binding: null, attempt }, { code })
    return guardCode(context, { accountId, shown: { code }, attempt }, test)
  }
  if (app && !app.isDisabled) return untested('totp', 'factor-wrong')
  const proof = await freshPasskey(context, holder)
  return proof ? { ...untested('passkey', 'factor-wrong'), proof } : untested('passkey', 'factor-not-enrolled')
}

async function freshPasskey(
  { passkeys, now }: AccountsContext,
  { account: { id }, identity: { factors = [] } }: Holder,
): Promise<FactorProof | null> {
  const proof = factors.find(({ kind, at }) => kind === 'passkey' && now() - at <= freshMs)
  return proof && (await passkeys?.list(id))?.length ? proof : null
}
