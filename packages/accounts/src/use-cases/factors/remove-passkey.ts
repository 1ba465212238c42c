import type { AccountsContext } from '../../context/accounts-context.ts'
import { offered } from '../../errors.ts'
import { findHolder, refuseEnded, removeFactor } from './change-factors.ts'
import type { FactorChangeResult, RemovePasskeyInput } from './factor-inputs.ts'
import { hasOtherWay, lastWayIn } from './last-way-in.ts'

export async function removePasskey(
  context: AccountsContext,
  input: RemovePasskeyInput,
): Promise<FactorChangeResult | null> {
  const passkeys = offered(context.passkeys)
  const holder = await findHolder(context, input)
  if (!holder) return refuseEnded(context, input, 'passkey')
  const { id: accountId } = holder.account
  const { id } = input
  const listed = await passkeys.list(accountId)
  if (!listed.some((passkey) => passkey.id === id)) return null
  if (listed.length === 1 && !(await hasOtherWay(context, holder.account))) throw lastWayIn()
  const remove = async (): Promise<boolean> => {
    // Judged after the claim: an unlinking that is done by then is seen.
    if (await hasOtherWay(context, holder.account)) return passkeys.remove(accountId, id)
    if (await passkeys.removeUnlessLast(accountId, id)) return true
    // Another removal came first: of this passkey, or of all others.
    if ((await passkeys.list(accountId)).some((passkey) => passkey.id === id)) throw lastWayIn()
    return false
  }
  return (
    (await removeFactor(context, holder, { factor: 'passkey', id, remove })) ?? refuseEnded(context, input, 'passkey')
  )
}
