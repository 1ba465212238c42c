import type { AccountsContext } from '../../context/accounts-context.ts'
import type { Accounts } from '../../contract/accounts.ts'
import { offered } from '../../errors.ts'
import { findHolder, refuseEnded, removeFactor } from './change-factors.ts'
import type { FactorChangeResult } from './factor-inputs.ts'
import { hasWayIn, lastWayIn, removeWay, wayOfPasskey } from './last-way-in.ts'

export async function removePasskey(
  context: AccountsContext,
  input: Parameters<Accounts['removePasskey']>[0],
): Promise<FactorChangeResult | null> {
  const passkeys = offered(context.passkeys)
  const holder = await findHolder(context, input)
  if (!holder) return refuseEnded(context, input, 'passkey')
  const { account } = holder
  const { id } = input
  const way = wayOfPasskey(id)
  const listed = await passkeys.list(account.id)
  if (!listed.some((passkey) => passkey.id === id)) return null
  if (!(await hasWayIn(context, account, way))) throw lastWayIn()
  const remove = async (): Promise<boolean> => {
    const outcome = await removeWay(context, account, way)
    if (outcome === 'last') throw lastWayIn()
    return outcome === 'removed'
  }
  return (
    (await removeFactor(context, holder, { factor: 'passkey', id, remove })) ?? refuseEnded(context, input, 'passkey')
  )
}
