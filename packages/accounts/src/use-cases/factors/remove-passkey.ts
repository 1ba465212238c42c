import type { AccountsContext } from '../../context/accounts-context.ts'
import { offered } from '../../errors.ts'
import { findHolder, refuseEnded, removeFactor } from './change-factors.ts'
import type { FactorChangeResult, RemovePasskeyInput } from './factor-inputs.ts'

export async function removePasskey(
  context: AccountsContext,
  input: RemovePasskeyInput,
): Promise<FactorChangeResult | null> {
  const passkeys = offered(context.passkeys)
  const holder = await findHolder(context, input)
  if (!holder) return refuseEnded(context, input, 'passkey')
  const { id: accountId } = holder.account
  if (!(await passkeys.list(accountId)).some(({ id }) => id === input.id)) return null
  const { id } = input
  const remove = (): Promise<boolean> => passkeys.remove(accountId, id)
  return (
    (await removeFactor(context, holder, { factor: 'passkey', id, remove })) ?? refuseEnded(context, input, 'passkey')
  )
}
