import type { PresentedAttempt } from '../../attempt.ts'
import type { AccountsContext } from '../../context/accounts-context.ts'
import { judgeAttempt } from '../../devices/known-device.ts'
import { AccountsError } from '../../errors.ts'
import type { SignedInIdentity } from '../../sign-in/signed-in-identity.ts'
import { type Account, toAccount } from '../../store/account-store.ts'
import { canonicalName } from '../../store/canonical-name.ts'

export interface ChangeNameInput {
  /** The identity of the request. */
  readonly identity: SignedInIdentity
  /** What the person is called, 1 to 100 characters. */
  readonly name: string
  /** Where it comes from. */
  readonly attempt: PresentedAttempt
}

export async function changeName(context: AccountsContext, input: ChangeNameInput): Promise<Account | null> {
  const { subject, key: sessionKey = null } = input.identity
  const name = canonicalName(input.name)
  if (name === null) throw new AccountsError('NAME_INVALID', 'a name must have 1 to 100 characters', { field: 'name' })
  if (!(await context.accounts.replace(subject, {}, { name }))) return null
  const account = await context.accounts.get(subject)
  const attempt = judgeAttempt(context, input.attempt, account)
  context.emit({ type: 'name.changed', ...attempt, accountId: subject, sessionKey })
  return account && { ...toAccount(account), name }
}
