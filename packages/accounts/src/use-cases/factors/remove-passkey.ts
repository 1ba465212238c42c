import { randomToken } from '@latchkey/bytes'
import type { AccountsContext } from '../../context/accounts-context.ts'
import type { Accounts } from '../../contract/accounts.ts'
import { offered } from '../../errors.ts'
import { findHolder, refuseEnded, removeFactor } from './change-factors.ts'
import type { FactorChangeResult } from './factor-inputs.ts'
import { hasOtherWay, hasWayIn, lastWayIn, putBack } from './last-way-in.ts'

/**
 * Two removals at once may each be judged while the other way is still there, so what is left is judged again after this one, and the
 * passkey put back where nothing is, as by `unlinkProvider`: at worst both are refused, and none is locked out.
 */
export async function removePasskey(
  context: AccountsContext,
  input: Parameters<Accounts['removePasskey']>[0],
): Promise<FactorChangeResult | null> {
  const passkeys = offered(context.passkeys)
  const holder = await findHolder(context, input)
  if (!holder) return refuseEnded(context, input, 'passkey')
  const { id: accountId } = holder.account
  const { id } = input
  const listed = await passkeys.list(accountId)
  if (!listed.some((passkey) => passkey.id === id)) return null
  if (!(await hasWayIn(context, holder.account, { passkey: id }))) throw lastWayIn()
  const removeOne = async (): Promise<boolean> => {
    // Judged after the claim: an unlinking that is done by then is seen.
    if (await hasOtherWay(context, holder.account)) return passkeys.remove(accountId, id)
    if (await passkeys.removeUnlessLast(accountId, id)) return true
    // Another removal came first: of this passkey, or of all others.
    if ((await passkeys.list(accountId)).some((passkey) => passkey.id === id)) throw lastWayIn()
    return false
  }
  const remove = async (): Promise<boolean> => {
    const stored = await context.documents?.get('factor-passkey', id)
    if (!(await removeOne())) return false
    // Judged again: between the claim and here a link may have gone, for which this passkey was the other way.
    if (!stored || (await hasWayIn(context, holder.account))) return true
    const back = {
      insert: async () => context.documents?.insert({ ...stored, version: randomToken(16) }) ?? false,
      remove: () => passkeys.remove(accountId, id),
    }
    if (await putBack(context, holder.account, back)) throw lastWayIn()
    return true
  }
  return (
    (await removeFactor(context, holder, { factor: 'passkey', id, remove })) ?? refuseEnded(context, input, 'passkey')
  )
}
