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
 * The claim of an administrator removes its roles as well, so it is no administrator any longer when others count them.
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
  const keeping = keepsAdministrators(context, shown)
  const isLastKept = keeping && isAdministrator(context, account)
  const claimed = (await claim(context, { account, key, isLastKept, begin: deleting.begin }))?.account
  if (!claimed) {
    await deleting.failed()
    return invalidCredentials
  }
  // What the application throws refuses the deletion: the owner is signed in still, and may ask again.
  const letGo = async (): Promise<void> => {
    await onDelete(toAccount({ ...claimed, roles: account.roles }))
  }
  const held = { account: claimed }
  let removable: StoredAccount | null = null
  try {
    await letGoUntilClosed(context, held, letGo)
    removable = await readRemovable(context, subject, keeping)
  } catch (error) {
    const giving = isLastKept ? [giveRolesBack(context, held.account, account.roles)] : []
    await cleanUp(context, { accountId: subject, attempt }, giving)
    await deleting.failed()
    throw error
  }
  // If the store does not say whether the account was removed, it may be removed later: it gets no roles back.
  if (!(removable && (await removeAsRead(context, removable, keeping)))) {
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

interface Claiming {
  readonly account: StoredAccount
  readonly key: string | null
  /** The account administers the service and must not be deleted if it is the last administrator. */
  readonly isLastKept: boolean
  readonly begin: () => Promise<void>
}

/** `null`: another caller was first, or the account has changed. */
async function claim(
  context: AccountsContext,
  { account, key, isLastKept, begin }: Claiming,
): ReturnType<typeof raiseEpoch> {
  const { id, epoch } = account
  const roles = account.roles.join(' ')
  const change = isLastKept ? { roles: [] } : {}
  return raiseEpoch(context, id, {
    decide(latest) {
      const isSame = latest.status === 'active' && latest.epoch === epoch && latest.roles.join(' ') === roles
      return isSame ? change : null
    },
    keptKey: key,
    async before() {
      if (isLastKept) await claimRemoval(context, account)
      await begin()
    },
  })
}

/** Not from a later epoch: another deletion of the account may have raised it, and removes the account without a claim. */
async function giveRolesBack(
  { accounts }: AccountsContext,
  { id, epoch, roles: taken }: StoredAccount,
  roles: readonly string[],
): Promise<void> {
  await accounts.replace(id, { epoch, roles: taken }, { roles })
}

/** `null`: it does not exist, or others have made it an administrator while the application deleted. */
async function readRemovable(context: AccountsContext, id: string, keeping: boolean): Promise<StoredAccount | null> {
  const latest = await context.accounts.get(id)
  return latest && keeping && isAdministrator(context, latest) ? null : latest
}

/** Roles and status change with the epoch, so an account that becomes an administrator after it was read is not removed. */
async function removeAsRead(context: AccountsContext, read: StoredAccount, keeping: boolean): Promise<boolean> {
  const { id, epoch } = read
  if (await context.accounts.remove(id, { epoch })) return true
  const latest = await readRemovable(context, id, keeping)
  return latest !== null && latest.epoch !== epoch && removeAsRead(context, latest, keeping)
}

const roundsAtMost = 3

/**
 * A user who signs in again while the application deletes may have written data that the application has already
 * searched for.
 */
async function letGoUntilClosed(
  context: AccountsContext,
  held: { account: StoredAccount },
  letGo: () => Promise<void>,
): Promise<void> {
  const { id, keptKey } = held.account
  for (let round = 0; round < roundsAtMost; round++) {
    await letGo()
    const opened = (await context.sessions.list(id)).filter(({ key }) => key !== keptKey)
    if (opened.length === 0) return
    const decide = ({ status }: StoredAccount) => (status === 'active' ? {} : null)
    const raised = await raiseEpoch(context, id, { decide, keptKey })
    // Beyond the next epoch, another deletion has begun.
    if (raised?.account.epoch === held.account.epoch + 1) held.account = raised.account
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
