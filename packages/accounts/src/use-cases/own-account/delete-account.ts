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
  const isLastKept = keepsAdministrators(context, shown) && isAdministrator(context, account)
  const claimed = (await claim(context, { account, key, isLastKept, begin: deleting.begin }))?.account
  if (!claimed) {
    await deleting.failed()
    return invalidCredentials
  }
  // What the application throws refuses the deletion: the owner is signed in still, and may ask again.
  const letGo = async (): Promise<void> => {
    await onDelete(toAccount({ ...claimed, roles: account.roles }))
  }
  const goOn = async (): Promise<void> => {
    if (!isLastKept) return
    const giving = giveRolesBack(context, claimed, account.roles)
    await cleanUp(context, { accountId: subject, attempt }, [giving])
  }
  const letAllGo = (): Promise<void> => letGoUntilClosed(context, claimed, letGo)
  await orElse(letAllGo, async () => {
    await goOn()
    await deleting.failed()
  })
  // Where the store does not say whether it was made, the outcome is unknown.
  if (!(await orElse(() => context.accounts.remove(subject), goOn))) {
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

/** Does something, and something else before what it throws passes through. */
async function orElse<Value>(step: () => Promise<Value>, otherwise: () => Promise<void>): Promise<Value> {
  try {
    return await step()
  } catch (error) {
    await otherwise()
    throw error
  }
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
  const change = isLastKept ? { roles: [] } : {}
  return raiseEpoch(context, id, {
    decide: (latest) => (latest.status === 'active' && latest.epoch === epoch ? change : null),
    keptKey: key,
    async before() {
      if (isLastKept) await claimRemoval(context, account)
      await begin()
    },
  })
}

/** Gives the administrator's roles back, even if the epoch was raised once more in the meantime. */
async function giveRolesBack(
  { accounts }: AccountsContext,
  { id, roles: taken }: StoredAccount,
  roles: readonly string[],
): Promise<void> {
  await accounts.replace(id, { roles: taken }, { roles })
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
    await raiseEpoch(context, id, { decide: (latest) => (latest.status === 'active' ? {} : null), keptKey })
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
