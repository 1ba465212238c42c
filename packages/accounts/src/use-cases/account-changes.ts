import { describeFailure } from '@latchkey/store'
import type { AccountsContext } from '../context/accounts-context.ts'
import type { AccountChange, StoredAccount } from '../store/account-store.ts'

const tries = 10

/**
 * Changes an account and raises its epoch in one swap, then ends everything that it has open: in this order nothing that
 * was opened under the old state remains. `null`: the account does not exist, or `decide` finds nothing to change.
 */
export async function raiseEpoch(
  context: AccountsContext,
  id: string,
  decide: (account: StoredAccount) => AccountChange | null,
): Promise<{ readonly account: StoredAccount; readonly ended: number } | null> {
  const account = await replaceAtNextEpoch(context, id, decide)
  return account && { account, ended: await context.sessions.revokeAll(id) }
}

async function replaceAtNextEpoch(
  { accounts }: AccountsContext,
  id: string,
  decide: (account: StoredAccount) => AccountChange | null,
): Promise<StoredAccount | null> {
  for (let attempt = 0; attempt < tries; attempt++) {
    const account = await accounts.get(id)
    const change = account && decide(account)
    if (!change) return null
    const { epoch, status } = account
    const next = { ...change, epoch: epoch + 1 }
    if (await accounts.replace(id, { epoch, status }, next)) return { ...account, ...next }
  }
  throw new Error('the account kept changing while it was read')
}

/**
 * Removes what a change of the account has already made invalid. Validity is decided by the account, so what remains
 * gives no access: a store that fails here is an event, and the answer is that the change was made.
 */
export async function cleanUp(
  { emit }: AccountsContext,
  accountId: string,
  work: readonly Promise<unknown>[],
): Promise<void> {
  const outcomes = await Promise.allSettled(work)
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failed) emit({ type: 'clean-up-failed', accountId, failure: describeFailure(failed.reason) })
}
