import type { Attempt, ShownAttempt } from '../../attempt.ts'
import type { AccountsContext } from '../../context/accounts-context.ts'
import { judgeAttempt } from '../../devices/known-device.ts'
import { invalidCredentials, type Refusal, required } from '../../errors.ts'
import type { SignedInIdentity } from '../../sign-in/signed-in-identity.ts'
import { type StoredAccount, toAccount } from '../../store/account-store.ts'
import { cleanUp, enablePassword, raiseEpoch } from '../account-changes.ts'

export interface DeleteAccountInput {
  /** The identity of the request. */
  readonly identity: SignedInIdentity
  /** Where it comes from. */
  readonly attempt: ShownAttempt
}

/** The account does not exist any more. */
export interface AccountDeleted {
  readonly ok: true
}

/** The verdict on a deletion. */
export type DeleteAccountResult = AccountDeleted | Refusal<'invalid-credentials'>

/**
 * The epoch is raised first, by one caller of several, and everything but the request's own session has ended: nothing is
 * written for the account while the application deletes what is its own. Then the row goes, and with it all that was
 * reserved. The id was drawn at random, and is never drawn again.
 */
export async function deleteAccount(
  context: AccountsContext,
  { identity, attempt: shown }: DeleteAccountInput,
): Promise<DeleteAccountResult> {
  const { onDelete } = required(context.deletion, 'deletion')
  const { subject, key = null } = identity
  const account = await context.accounts.get(subject)
  const attempt = judgeAttempt(context, shown, account)
  if (!account || !isOf(identity, account)) return invalidCredentials
  const said = { type: 'account.deleted', ...attempt, accountId: subject, sessionKey: key } as const
  const deleting = context.trail.plan(said)
  const { epoch } = account
  const decide = (latest: StoredAccount) => (latest.status === 'active' && latest.epoch === epoch ? {} : null)
  const claimed = await raiseEpoch(context, subject, { decide, keptKey: key, before: deleting.begin })
  if (!claimed) {
    await deleting.failed()
    return invalidCredentials
  }
  await letGo(onDelete, claimed.account, deleting.failed)
  if (!(await context.accounts.remove(subject))) {
    await deleting.failed()
    return invalidCredentials
  }
  await cleanUp(context, { accountId: subject, attempt }, [...removeAll(context, claimed.account)])
  await deleting.done(said)
  mailDeleted(context, claimed.account, attempt)
  return { ok: true }
}

function isOf({ epoch = null }: SignedInIdentity, account: StoredAccount): boolean {
  return account.status === 'active' && (epoch === null || epoch === account.epoch)
}

type OnDelete = NonNullable<AccountsContext['deletion']>['onDelete']

/** What the application throws refuses the deletion: the owner is signed in still, and may ask again. */
async function letGo(onDelete: OnDelete, account: StoredAccount, failed: () => Promise<void>): Promise<void> {
  try {
    await onDelete(toAccount(account))
  } catch (error) {
    await failed()
    throw error
  }
}

/** Without the account nothing of this gives access: a store that fails leaves what is of no use. */
function* removeAll(context: AccountsContext, { id, email }: StoredAccount): Generator<Promise<unknown>> {
  yield context.sessions.revokeAll(id)
  yield context.resets.endAll(email)
  yield context.emailChanges.endAll(id)
  yield enablePassword(context, id)
  yield removeFactors(context, id)
  if (context.grants) yield context.grants.removeByAccount(id)
  if (context.links) yield removeLinks(context.links, id)
}

async function removeFactors({ factors }: AccountsContext, accountId: string): Promise<void> {
  for (const { id } of (await factors?.listByAccount(accountId)) ?? []) await factors?.remove(id)
}

async function removeLinks(links: NonNullable<AccountsContext['links']>, accountId: string): Promise<void> {
  for (const link of await links.listByAccount(accountId)) await links.remove(link)
}

function mailDeleted({ mails, home }: AccountsContext, { id, email: to }: StoredAccount, attempt: Attempt): void {
  mails.send({ mail: { kind: 'account-deleted', data: { home } }, accountId: id, attempt, to })
}
