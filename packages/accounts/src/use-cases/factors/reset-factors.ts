import type { AccountsContext } from '../../context/accounts-context.ts'
import { judgeAttempt } from '../../devices/known-device.ts'
import { enrollmentKind } from '../../factors/required-factor.ts'
import { factorsResetLetter } from '../../mail/factor-letters.ts'
import { type Account, toAccount } from '../../store/account-store.ts'
import { raiseEpoch } from '../account-changes.ts'
import { type AdministrationInput, getAccount } from '../administer.ts'

/**
 * Since when the account is asked for a second factor remains: it is no factor, and nothing begins a new grace.
 *
 * The store of factors is asked, and not the parts: a command removes what it was not configured for, too. The factors go
 * first, so that no failure leaves an account without its column and with a factor.
 */
export async function resetFactors(
  context: AccountsContext,
  { id, attempt: shown }: AdministrationInput,
): Promise<Account | null> {
  const account = await getAccount(context, id)
  if (!account) return null
  const kinds = await removeAll(context, id)
  const changed = await raiseEpoch(context, id, { decide: () => ({ enrolled: [] }), keptKey: null })
  if (!changed) return null
  // One that was put in force between the two; what is put in force from here on finds the account changed, and goes again.
  const late = await removeAll(context, id)
  // The device is that of the administrator, whose account this is not.
  const attempt = judgeAttempt(context, shown, null)
  for (const factor of new Set([...kinds, ...late]))
    context.emit({ type: 'factor.removed', ...attempt, accountId: id, factor, id: null })
  const { email: to } = changed.account
  context.mails.send({
    purpose: 'factor-removed',
    accountId: id,
    attempt,
    to,
    letter: factorsResetLetter(context.home),
  })
  return toAccount(changed.account)
}

async function removeAll({ factors }: AccountsContext, accountId: string): Promise<readonly string[]> {
  const rows = (await factors?.listByAccount(accountId)) ?? []
  const stored = rows.filter(({ kind }) => kind !== enrollmentKind)
  for (const { id } of stored) await factors?.remove(id)
  return [...new Set(stored.map(({ kind }) => kind))].filter((kind) => !kind.endsWith('-enrollment'))
}
