import { startDuration } from '@latchkey/core/internal'
import type { AccountsContext } from '../../context/accounts-context.ts'
import type { Accounts } from '../../contract/accounts.ts'
import { offered, type Rejection } from '../../errors.ts'
import { refusedCeremony, type TestedFactor, untested } from '../../sign-in/test-factor.ts'
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
import type { FactorInput, PasskeyAdded, PasskeyRequest } from './factor-inputs.ts'
import { checkPasskeyName } from './passkey-name.ts'
import { refuseFactor } from './report-factors.ts'

export async function startPasskeyRegistration(
  context: AccountsContext,
  input: FactorInput,
): Promise<PasskeyRequest | Rejection<'invalid-credentials'>> {
  const passkeys = offered(context.passkeys)
  const holder = await findHolder(context, input)
  if (!holder) return refuseEnded(context, input, 'passkey')
  const { id, email, name } = holder.account
  const person = { id, name: email, displayName: name }
  const { options } = await passkeys.startRegistration(person, { binding: bindingOf(holder) })
  return { ok: true, options }
}

/** The response is checked, the epoch raised, and then the passkey stored. */
export async function finishPasskeyRegistration(
  context: AccountsContext,
  input: Parameters<Accounts['finishPasskeyRegistration']>[0],
): Promise<PasskeyAdded | Rejection<'invalid-credentials'>> {
  const elapsed = startDuration()
  const passkeys = offered(context.passkeys)
  const name = checkPasskeyName(input.name)
  const holder = await findHolder(context, input)
  if (!holder) return refuseEnded(context, input, 'passkey')
  const { id: accountId } = holder.account
  const adding = planAdding(context, holder, 'passkey')
  let account: StoredAccount | null = null
  const beforeActivation = async (): Promise<boolean> => {
    account = await claimActivation(context, holder, { added: 'passkey', adding })
    return account !== null
  }
  const options = { name, binding: bindingOf(holder), beforeActivation }
  const verdict = await passkeys.finishRegistration(accountId, input.response, options)
  const claimed = account as StoredAccount | null
  const refuse = async (tested: TestedFactor) => {
    await adding.failed()
    return refuseFactor(context, { tested, accountId, attempt: holder.attempt }, elapsed())
  }
  if (!verdict.ok) {
    if (claimed) await dropClaim(context, holder)
    return refuse(refusedCeremony(verdict))
  }
  const { passkey, proof } = verdict
  const takeBack = (): Promise<boolean> => passkeys.remove(accountId, passkey.id)
  const added = { factor: 'passkey', id: passkey.id, proof, adding, takeBack } as const
  const finished = claimed && (await finishActivation(context, holder, { ...added, account: claimed }))
  return finished ? { ...finished, passkey } : refuse(untested('passkey', 'account-changed'))
}
