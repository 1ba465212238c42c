import type { JudgedAttempt } from '../../attempt.ts'
import type { AccountsContext } from '../../context/accounts-context.ts'
import type { Accounts } from '../../contract/accounts.ts'
import type { SignedInIdentity } from '../../contract/signed-in-identity.ts'
import { judgeAttempt } from '../../devices/judge-attempt.ts'
import { invalidCredentials, required } from '../../errors.ts'
import { type StoredAccount, toAccount } from '../../store/account-store.ts'
import { cleanUp, raiseEpoch } from '../account-changes.ts'
import { claimRemoval, isAdministrator, keepsAdministrators } from '../administration/administrators.ts'

/** The verdict on a deletion. */
export type DeleteAccountResult = Awaited<ReturnType<Accounts['deleteAccount']>>

/**
 * The epoch is raised first, by one of several callers, and everything but the request's own session is revoked, so
 * that no other session writes for the account while the application deletes its own data. A sign-in in the meantime is
 * revoked and the application is called again. The own session stays valid, so a failing store does not sign out the
 * user. Then the row is removed, and with it all reservations. The id was drawn at random, and is never drawn again.
 *
 * Whether an administrator is the last one is judged twice: before the application deletes anything, and by the claim of
 * the removal itself. In between the account keeps its roles, so a refused or interrupted deletion takes none.
 */
export async function deleteAccount(
  context: AccountsContext,
  { identity, attempt: shown }: Parameters<Accounts['deleteAccount']>[0],
): Promise<DeleteAccountResult> {
  const { onDelete } = required(context.deletion, 'deletion')
  const { subject, key = null } = identity
  const account = await context.accounts.get(subject)
  const attempt = judgeAttempt(context, shown, account)
  if (!account || !isOf(identity, account)) return invalidCredentials
  const said = { type: 'account.deleted', ...attempt, accountId: subject, sessionKey: key } as const
  const deleting = context.trail.plan(said)
  const judge: Judge = async (latest) => {
    if (keepsAdministrators(context, shown) && isAdministrator(context, latest)) await claimRemoval(context, latest)
  }
  // What the application throws refuses the deletion: the owner is signed in still, and may ask again.
  const orFailed = <Result>(step: Promise<Result>): Promise<Result> =>
    step.catch(async (error: unknown) => {
      await deleting.failed()
      throw error
    })
  const claimed = (await orFailed(claim(context, { account, key, judge, begin: deleting.begin })))?.account
  if (claimed) {
    await orFailed(letGoUntilClosed(context, claimed, async () => onDelete(toAccount(claimed))))
    // A link that has created the account, and that a failure has left, would create another one.
    await orFailed(context.pendingAccounts.endAll(claimed.email))
  }
  if (!(claimed && (await removeAsRead(context, () => orFailed(readRemovable(context, claimed, judge)))))) {
    await deleting.failed()
    return invalidCredentials
  }
  await cleanUp(context, { accountId: subject, attempt }, [...removeAll(context, claimed)])
  await deleting.done(said)
  mailDeleted(context, claimed, attempt)
  return { ok: true }
}

function isOf({ epoch = null }: SignedInIdentity, account: StoredAccount): boolean {
  return account.status === 'active' && (epoch === null || epoch === account.epoch)
}

/** Called before a swap from the epoch of the account. It throws if the account is the last administrator. */
type Judge = (account: StoredAccount) => Promise<void>

interface Claiming {
  readonly account: StoredAccount
  readonly key: string | null
  readonly judge: Judge
  readonly begin: () => Promise<void>
}

/** `null`: another caller was first, or the account has changed. */
async function claim(
  context: AccountsContext,
  { account, key, judge, begin }: Claiming,
): ReturnType<typeof raiseEpoch> {
  return raiseEpoch(context, account.id, {
    decide: (latest) => (latest.status === 'active' && latest.epoch === account.epoch ? {} : null),
    keptKey: key,
    async before() {
      await judge(account)
      await begin()
    },
  })
}

/** `null`: it does not exist, or was taken back. */
async function readRemovable(
  { accounts }: AccountsContext,
  claimed: StoredAccount,
  judge: Judge,
): Promise<StoredAccount | null> {
  const latest = await accounts.get(claimed.id)
  if (!latest || isTakenBack(claimed, latest)) return null
  await judge(latest)
  return latest
}

/**
 * Whether the account was closed since the claim, or a reset or an undone change of address has changed its password and revoked
 * the session of the deletion.
 */
function isTakenBack(claimed: StoredAccount, { status, keptKey, passwordHash }: StoredAccount): boolean {
  if (status !== 'active') return true
  return keptKey !== claimed.keptKey && passwordHash !== claimed.passwordHash
}

const removalsAtMost = 10

/**
 * Roles and status change with the epoch, so the account is removed only as it was judged. If the store does not answer the
 * removal, it may come later: the next removal of an administrator raises the epoch first.
 */
async function removeAsRead(
  { accounts }: AccountsContext,
  read: () => Promise<StoredAccount | null>,
): Promise<boolean> {
  for (let made = 0; made < removalsAtMost; made++) {
    const latest = await read()
    if (!latest) return false
    if (await accounts.remove(latest.id, { epoch: latest.epoch })) return true
  }
  return false
}

const roundsAtMost = 3

/**
 * A user who signs in again while the application deletes may have written data that the application has already
 * searched for.
 */
async function letGoUntilClosed(
  context: AccountsContext,
  { id, keptKey }: StoredAccount,
  letGo: () => Promise<void>,
): Promise<void> {
  for (let round = 0; round < roundsAtMost; round++) {
    await letGo()
    const opened = (await context.sessions.list(id)).filter(({ key }) => key !== keptKey)
    if (opened.length === 0) return
    await raiseEpoch(context, id, { decide: ({ status }) => (status === 'active' ? {} : null), keptKey })
  }
}

/** Without the account none of these records grants access, so a store that fails leaves only useless records. */
function* removeAll(context: AccountsContext, { id, email, epoch }: StoredAccount): Generator<Promise<unknown>> {
  yield context.sessions.revokeAll(id)
  // Those from before the deletion, and those that were asked for during it.
  for (const one of [epoch - 1, epoch]) yield context.resets.endAll(email, one)
  yield context.emailChanges.endAll(id)
  if (context.attemptLimits) yield context.attemptLimits.passwords.clear(id)
  if (context.documents) yield context.documents.removeByOwner(id)
}

function mailDeleted({ mails, now }: AccountsContext, { id, email: to }: StoredAccount, attempt: JudgedAttempt): void {
  mails.send({ mail: { kind: 'account-deleted', data: { at: now() } }, accountId: id, attempt, to })
}
