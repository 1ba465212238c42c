import type { JudgedAttempt } from '../attempt.ts'
import type { AccountsContext } from '../context/accounts-context.ts'
import type { StoredAccount } from '../store/account-store.ts'

/**
 * Hashes a password again with the current parameters, after the answer and when no other hash waits. It is a swap on
 * the verified hash, so it cannot undo a change of password. Sessions stay valid, so the epoch does not change.
 */
export function rehashInBackground(
  context: AccountsContext,
  { id, passwordHash }: StoredAccount,
  { password, attempt }: { readonly password: string; readonly attempt: JudgedAttempt },
): void {
  const { accounts, passwordHasher, background, emit } = context
  const said = { ...attempt, accountId: id }
  const rehash = async (): Promise<void> => {
    const next = await passwordHasher.hash(password, { lane: 'idle', client: attempt.address })
    const isWritten = await accounts.replace(id, { passwordHash }, { passwordHash: next })
    if (isWritten) emit({ type: 'password.rehashed', ...said })
  }
  background.run(rehash, (failed) => emit({ type: 'password.rehash-failed', ...said, ...failed }))
}
