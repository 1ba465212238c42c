import { describeFailure } from '@latchkey/core/internal'
import { removeApiKeys } from '../api-keys/stored-api-keys.ts'
import type { JudgedAttempt } from '../attempt.ts'
import type { AccountsContext } from '../context/accounts-context.ts'
import { carryToEpoch, isValidFor } from '../sign-in/kept-key.ts'
import type { AccountChange, StoredAccount } from '../store/account-store.ts'

const tries = 10

/** A change of an account, and the session or family that it keeps. */
export interface RaisingChange {
  /** Returns the change, or `null` if the account needs none. */
  readonly decide: (account: StoredAccount) => Omit<AccountChange, 'epoch' | 'keptKey'> | null
  /** `null`: the change keeps no session. */
  readonly keptKey: string | null
  /**
   * Whether the API keys of the account go on: it changes neither who has the account nor whether it is open.
   * @default false
   */
  readonly keepsApiKeys?: boolean
  /** Called with a change that `decide` returns, before the account and its API keys are written. */
  readonly before?: () => Promise<void>
}

/**
 * Changes an account and raises its epoch in one swap, which names the session or family to keep; then removes
 * everything else that the account has open. In this order nothing that was opened under the old state is valid,
 * whether or not the store finds it. API keys have no epoch: they are removed before the swap, so that a failure leaves
 * the account unchanged, and once more after it.
 *
 * @returns `null`, and the account is unchanged, if it does not exist, `decide` returns `null`, or the session to keep
 * was revoked.
 */
export async function raiseEpoch(
  context: AccountsContext,
  id: string,
  change: RaisingChange,
): Promise<{ readonly account: StoredAccount; readonly ended: number } | null> {
  const account = await replaceAtNextEpoch(context, id, change)
  if (!account) return null
  if (!change.keepsApiKeys) await endApiKeys(context, id)
  return { account, ended: await context.sessions.revokeAll(id, exceptFor(account)) }
}

export async function endApiKeys({ documents }: AccountsContext, id: string): Promise<void> {
  await removeApiKeys(documents, id)
}

/**
 * Revokes what an earlier change of the account has left, because a store has failed after its swap. The account refuses it already,
 * but the clients of a session, and services elsewhere, learn of its end here.
 */
export async function endStale({ accounts, sessions }: AccountsContext, id: string): Promise<void> {
  const account = await accounts.get(id)
  if (!account) return
  // A session that is opened after the read has no earlier epoch.
  const stale = (await sessions.list(id)).filter((each) => each.epoch < account.epoch && !isValidFor(account, each))
  await Promise.all(stale.map(({ key }) => sessions.revoke(id, key)))
}

/** Returns what `revokeAll` leaves. */
export function exceptFor({ keptKey }: StoredAccount): { readonly except?: string } {
  return keptKey === null ? {} : { except: keptKey }
}

async function replaceAtNextEpoch(
  context: AccountsContext,
  id: string,
  { decide, keptKey, keepsApiKeys = false, before }: RaisingChange,
): Promise<StoredAccount | null> {
  const { accounts } = context
  for (let attempt = 0; attempt < tries; attempt++) {
    const account = await accounts.get(id)
    const change = account && decide(account)
    if (!change) return null
    const kept = keptKey === null ? { keptKey } : await carryToEpoch(context, account, keptKey)
    if (!kept) return null
    await before?.()
    if (!keepsApiKeys) await endApiKeys(context, id)
    const { epoch, status, roles } = account
    const next = { ...change, epoch: epoch + 1, ...kept }
    if (await accounts.replace(id, { epoch, status, roles }, next)) return { ...account, ...next }
  }
  throw new Error('the account kept changing while it was read')
}

/**
 * Removes what a change of the account has already made invalid. Validity is decided by the account, so what remains
 * grants no access: a store that fails here is an event, and the answer is that the change was made.
 */
export async function cleanUp(
  { emit }: AccountsContext,
  of: { readonly accountId: string; readonly attempt: JudgedAttempt },
  work: readonly Promise<unknown>[],
): Promise<void> {
  const outcomes = await Promise.allSettled(work)
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (!failed) return
  const { accountId, attempt } = of
  const cause: unknown = failed.reason
  emit({ type: 'clean-up.failed', ...attempt, accountId, failure: describeFailure(cause), cause })
}

/** Resets the count of wrong passwords, for a new password. */
export async function enablePassword({ attemptLimits }: AccountsContext, accountId: string): Promise<void> {
  await attemptLimits?.passwords.clear(accountId)
}
