import { removeApiKeys } from '../../api-keys/stored-api-keys.ts'
import type { JudgedAttempt } from '../../attempt.ts'
import type { AccountsContext } from '../../context/accounts-context.ts'
import type { Accounts } from '../../contract/accounts.ts'
import { judgeAttempt } from '../../devices/judge-attempt.ts'
import { required } from '../../errors.ts'
import type { UndoTarget } from '../../mail/email-change-links.ts'
import { readInForce } from '../../sign-in/enrolled-kinds.ts'
import { refuseLink } from '../../sign-in/refuse-link.ts'
import { isClosed, type StoredAccount, toAccount } from '../../store/account-store.ts'
import type { ReservedAddress } from '../../store/address-reservations.ts'
import { cleanUp, enablePassword } from '../account-changes.ts'
import { endEnrolments, removeFactorsSince, removeLinksSince } from './remove-factors-since.ts'

/** The holder of the session may change the account before each swap. */
const tries = 10

/** The state that an account returns to. */
interface WayBack {
  readonly account: StoredAccount
  /** The earliest address that is still reserved. */
  readonly former: ReservedAddress
}

/**
 * The account returns to the earliest address that is reserved for it, without a password, and all its sessions are
 * revoked. One swap does this and removes all reservations, so it consumes this link and all other undo links of the
 * same time. The factors are removed before it, so that a failure leaves the link usable, and once more after it.
 */
export async function undoEmailChange(
  context: AccountsContext,
  { token, attempt: shown }: Parameters<Accounts['undoEmailChange']>[0],
): ReturnType<Accounts['undoEmailChange']> {
  required(context.emailChange, 'accounts.reservations')
  const found = await findUndo(context, token)
  const { link = null, way = null } = found ?? {}
  const attempt = judgeAttempt(context, shown, way?.account ?? null)
  const undone = link && way && (await undo(context, { link, way, attempt }))
  if (undone) return { ok: true, account: toAccount(undone) }
  const accountId = link?.accountId ?? null
  return refuseLink(context, attempt, { purpose: 'undo-email-change', isUnknown: !link, accountId })
}

/** A link that undoes a change, and the state that the account returns to; `null`: there is no change left to undo. */
interface FoundUndo {
  readonly link: UndoTarget
  readonly way: WayBack | null
}

/** `null`: it is no such link. */
export async function findUndo(context: AccountsContext, token: string): Promise<FoundUndo | null> {
  const link = await context.emailChanges.readUndo(token)
  return link && { link, way: await findWayBack(context, link) }
}

/**
 * The account is read first: a reservation that is read after it was made at its epoch, or the swap on that epoch
 * fails. If both were read in parallel, or the reservations first, an account could be paired with the reservations of
 * a change that was already undone.
 */
async function findWayBack(
  { accounts, reservations, now }: AccountsContext,
  { accountId, since }: UndoTarget,
): Promise<WayBack | null> {
  const account = await accounts.get(accountId)
  const reserved = (await reservations?.listByAccount(accountId, now())) ?? []
  const [former] = reserved
  if (!account || isClosed(account) || !former) return null
  // What is reserved since a later request only is no matter of this link.
  return reserved.some((address) => address.since <= since) ? { account, former } : null
}

interface Undoing {
  readonly link: UndoTarget
  readonly way: WayBack
  readonly attempt: JudgedAttempt
}

async function undo(context: AccountsContext, { link, way: first, attempt }: Undoing): Promise<StoredAccount | null> {
  const { accountId } = link
  const said = { type: 'email-change.undone', ...attempt, accountId } as const
  const undoing = context.trail.plan(said)
  await undoing.begin()
  const removed = new Set<string>()
  for (let way: WayBack | null = first, made = 0; way && made < tries; made++) {
    for (const kind of await removeFactorsSince(context, accountId, way.former.since)) removed.add(kind)
    for (const kind of await removeLinksSince(context, accountId, way.former.since)) removed.add(kind)
    await removeApiKeys(context.documents, accountId)
    await removeConsents(context, accountId)
    const back = await goBack(context, way)
    if (back) {
      await settle(context, { way, back, attempt }, removed)
      await undoing.done({ ...said, factors: [...removed] })
      mailBack(context, { way, back, attempt })
      return back.account
    }
    way = await findWayBack(context, link)
  }
  await undoing.failed()
  return null
}

/** An account that has its address back, and the link with which it gets a password. */
interface WentBack {
  readonly account: StoredAccount
  readonly passwordUrl: string
}

/**
 * The link is stored first and is not valid before the swap. The column gets the active kinds, so that an unfinished
 * enrolment is discarded.
 */
async function goBack(context: AccountsContext, { account, former }: WayBack): Promise<WentBack | null> {
  const { id, epoch, status, email: left } = account
  const enrolled = await readInForce(context, account)
  const change = { email: former.email, passwordHash: null, enrolled, epoch: epoch + 1, keptKey: null }
  const passwordUrl = await context.resets.create(former.email, { id, epoch: change.epoch })
  if (!(await context.accounts.replace(id, { epoch, status, email: left }, change))) return null
  return { account: { ...account, ...change }, passwordUrl }
}

interface Undone {
  readonly way: WayBack
  readonly back: WentBack
  readonly attempt: JudgedAttempt
}

/** The change is undone by now, so a failure here is only an event. */
async function settle(
  context: AccountsContext,
  { way: { account, former }, attempt }: Undone,
  removed: Set<string>,
): Promise<void> {
  const { id: accountId } = account
  // One that was put in force before the swap; what is put in force from here on finds the account changed.
  const removing = [
    endEnrolments(context, accountId).then(() => removeFactorsSince(context, accountId, former.since)),
    removeLinksSince(context, accountId, former.since),
  ] as const
  await cleanUp(context, { accountId, attempt }, [
    ...removing,
    context.sessions.revokeAll(accountId),
    removeApiKeys(context.documents, accountId),
    context.emailChanges.endAll(accountId),
    enablePassword(context, accountId),
    removeConsents(context, accountId),
    context.resets.endAll(account.email, account.epoch),
  ])
  for (const each of removing) for (const kind of await each.catch(() => [])) removed.add(kind)
}

/** Removes all consents: a thief may have allowed a client more than the owner had. */
async function removeConsents({ documents }: Pick<AccountsContext, 'documents'>, accountId: string): Promise<void> {
  await documents?.removeByOwner(accountId, { collections: ['oauth-grant'] })
}

function mailBack({ mails, now }: AccountsContext, { way, back, attempt }: Undone): void {
  const { id: accountId, email: to } = back.account
  const { email: left } = way.account
  mails.send({
    mail: { kind: 'choose-password', data: { url: back.passwordUrl, occasion: 'undone-change' } },
    accountId,
    attempt,
    to,
  })
  if (left === to) return
  const mail = { kind: 'email-changed', data: { at: now(), url: null, undoDays: 0 } } as const
  mails.send({ mail, accountId, attempt, to: left })
}
