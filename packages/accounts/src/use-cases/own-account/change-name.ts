import type { AccountsContext } from '../../context/accounts-context.ts'
import type { Accounts } from '../../contract/accounts.ts'
import { judgeAttempt } from '../../devices/judge-attempt.ts'
import { AccountsError } from '../../errors.ts'
import { type Account, toAccount } from '../../store/account-store.ts'
import { canonicalName } from '../../store/canonical-name.ts'

export async function changeName(
  context: AccountsContext,
  input: Parameters<Accounts['changeName']>[0],
): Promise<Account | null> {
  const { subject, key: sessionKey = null } = input.identity
  const name = canonicalName(input.name)
  if (name === null) throw new AccountsError('NAME_INVALID', 'a name must have 1 to 100 characters', { field: 'name' })
  if (!(await context.accounts.replace(subject, {}, { name }))) return null
  const account = await context.accounts.get(subject)
  const attempt = judgeAttempt(context, input.attempt, account)
  context.emit({ type: 'name.changed', ...attempt, accountId: subject, sessionKey })
  return account && { ...toAccount(account), name }
}
