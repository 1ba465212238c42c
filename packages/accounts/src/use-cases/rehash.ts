import type { AccountsContext } from '../context/accounts-context.ts'
import type { StoredAccount } from '../store/account-store.ts'

/**
 * Writes a password again with today's parameters, after the answer and when nothing else waits. It is a swap on the
 * very hash that was verified, so it undoes no change of password; it ends nothing, so the epoch stays.
 */
export function rehashInBackground(
  context: AccountsContext,
  { id, passwordHash }: StoredAccount,
  password: string,
): void {
  const { accounts, passwords, background, emit } = context
  const rehash = async (): Promise<void> => {
    const next = await passwords.hash(password, { lane: 'idle' })
    const isWritten = await accounts.replace(id, { passwordHash }, { passwordHash: next })
    if (isWritten) emit({ type: 'password-rehashed', accountId: id })
  }
  background.run(rehash, (failure) => emit({ type: 'password-rehash-failed', accountId: id, failure }))
}
