import { removeApiKeys } from '../../api-keys/stored-api-keys.ts'
import type { JudgedAttempt } from '../../attempt.ts'
import type { AccountsContext } from '../../context/accounts-context.ts'
import type { Accounts } from '../../contract/accounts.ts'
import { judgeAttempt } from '../../devices/judge-attempt.ts'
import { required } from '../../errors.ts'
import type { ConfirmTarget } from '../../mail/email-change-links.ts'
import { carryToEpoch } from '../../sign-in/kept-key.ts'
import { refuseLink } from '../../sign-in/refuse-link.ts'
import { type StoredAccount, toAccount } from '../../store/account-store.ts'
import { cleanUp, exceptFor } from '../account-changes.ts'
import { reservedUntil } from './request-email-change.ts'

/** The address is proven. */
export type EmailChangeConfirmed = Extract<Awaited<ReturnType<Accounts['confirmEmailChange']>>, { readonly ok: true }>

/**
 * Address and epoch are swapped in one step, which names the session that requested the change. The link is valid for
 * the epoch before, so the swap consumes it, and a store that fails before leaves the link usable. The swap also
 * decides whether the new address is free.
 */
export async function confirmEmailChange(
  context: AccountsContext,
  { token, attempt: shown }: Parameters<Accounts['confirmEmailChange']>[0],
): ReturnType<Accounts['confirmEmailChange']> {
  required(context.emailChange, 'accounts.reservations')
  const { account, change, isUnknown } = await findChange(context, token)
  const attempt = judgeAttempt(context, shown, account)
  const accountId = account?.id ?? null
  const refuse = () => refuseLink(context, attempt, { purpose: 'confirm-email-change', isUnknown, accountId })
  if (!change) return refuse()
  const moving = { ...change, attempt }
  return (await (change.link.needsBoth ? approve(context, moving) : move(context, moving))) ?? refuse()
}

/** The change that a link was made for. */
export interface FoundChange {
  readonly account: StoredAccount | null
  /** `null`: the link can no longer make the change. */
  readonly change: { readonly link: ConfirmTarget; readonly account: StoredAccount } | null
  readonly isUnknown: boolean
}

export async function findChange(
  { accounts, emailChange, emailChanges }: AccountsContext,
  token: string,
): Promise<FoundChange> {
  const link = emailChange && (await emailChanges.readConfirm(token))
  const account = link && (await accounts.get(link.accountId))
  // What was asked for when a change could be undone needs both addresses since it cannot be.
  if (!link || !account || !isFor(link, account) || (emailChange.undoDays === 0 && !link.needsBoth))
    return { account, change: null, isUnknown: !link }
  return { account, change: { link, account }, isUnknown: false }
}

/** Whether the address that a link was mailed to has confirmed with it. */
export async function isConfirmed({ emailChanges }: AccountsContext, link: ConfirmTarget): Promise<boolean> {
  const { needsBoth, role } = link
  return needsBoth && emailChanges.isApprovedByOther({ ...link, role: role === 'old' ? 'new' : 'old' })
}

async function move(context: AccountsContext, moving: Moving): Promise<EmailChangeConfirmed | null> {
  const changed = await moveAccount(context, moving)
  return changed && { ok: true, account: toAccount(changed), isChanged: true }
}

/** Each address confirms once; the second confirmation makes the change. If the store fails, the link stays usable. */
async function approve(context: AccountsContext, moving: Moving): Promise<EmailChangeConfirmed | null> {
  const { link, account } = moving
  if (!(await context.emailChanges.approve(link))) return null
  try {
    if (!(await context.emailChanges.isApprovedByOther(link)))
      return { ok: true, account: toAccount(account), isChanged: false }
    const moved = await move(context, moving)
    if (moved) return moved
    // Both at the same moment: the other one has made the change.
    const latest = await context.accounts.get(account.id)
    return latest?.email === link.to ? { ok: true, account: toAccount(latest), isChanged: true } : null
  } catch (error) {
    await context.emailChanges.takeBackApproval(link).catch(() => undefined)
    throw error
  }
}

function isFor({ epoch, from }: ConfirmTarget, account: StoredAccount): boolean {
  return account.status === 'active' && account.epoch === epoch && account.email === from
}

interface Moving {
  readonly link: ConfirmTarget
  readonly account: StoredAccount
  readonly attempt: JudgedAttempt
}

async function moveAccount(context: AccountsContext, moving: Moving): Promise<StoredAccount | null> {
  const { link, account, attempt } = moving
  const said = { type: 'email-change.confirmed', ...attempt, accountId: account.id } as const
  const confirming = context.trail.plan(said)
  await confirming.begin()
  const back = await keepWayBack(context, link)
  if (back) {
    await removeApiKeys(context.documents, account.id)
    // A link that has created the account, and that a failure has left, would create another one once its address is free.
    await context.pendingAccounts.endAll(link.from)
  }
  const changed = back && (await swapAddress(context, link, account))
  if (!changed) {
    await confirming.failed()
    return null
  }
  await cleanUp(context, { accountId: account.id, attempt }, [
    context.sessions.revokeAll(account.id, exceptFor(changed)),
    removeApiKeys(context.documents, account.id),
    context.emailChanges.endConfirms(account.id),
    context.resets.endAll(link.from, link.epoch),
    context.pendingAccounts.endAll(link.to),
  ])
  await confirming.done({ ...said, sessionKey: changed.keptKey })
  mailBoth(context, moving, back.undoUrl)
  return changed
}

/** How an account gets its address back; `null`: it does not, both have confirmed. */
interface WayBack {
  readonly undoUrl: string | null
}

/**
 * Both are there before the address is left: no failure leaves its owner without a way back. `null`: the account has changed
 * since it was read.
 */
async function keepWayBack(
  context: AccountsContext,
  { accountId, from: email, since, epoch, needsBoth }: ConfirmTarget,
): Promise<WayBack | null> {
  const { reservations, emailChange, emailChanges, now } = context
  await reservations?.release(now())
  if (needsBoth || !emailChange) return { undoUrl: null }
  const until = reservedUntil(context, emailChange.undoDays)
  if (!(await reservations?.reserve({ email, accountId, since, until }, epoch))) return null
  return { undoUrl: await emailChanges.createUndo({ accountId, since }) }
}

async function swapAddress(
  context: AccountsContext,
  { key, from, to }: ConfirmTarget,
  account: StoredAccount,
): Promise<StoredAccount | null> {
  const { id, epoch, status } = account
  const kept = key === null ? null : await carryToEpoch(context, account, key)
  const change = { email: to, epoch: epoch + 1, keptKey: kept?.keptKey ?? null }
  const isChanged = await context.accounts.replace(id, { epoch, status, email: from }, change)
  return isChanged ? { ...account, ...change } : null
}

function mailBoth(
  { mails, now, emailChange }: AccountsContext,
  { link: { accountId, from, to }, attempt }: Moving,
  undoUrl: string | null,
): void {
  const at = now()
  const undoDays = emailChange?.undoDays ?? 0
  const addressed = [
    { to: from, url: undoUrl },
    { to, url: null },
  ]
  for (const { to: recipient, url } of addressed) {
    mails.send({
      mail: { kind: 'email-changed', data: { at, url, undoDays } },
      accountId,
      attempt,
      to: recipient,
    })
  }
}
