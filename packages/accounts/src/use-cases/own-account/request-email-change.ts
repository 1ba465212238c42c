import type { JudgedAttempt } from '../../attempt.ts'
import type { AccountsContext } from '../../context/accounts-context.ts'
import type { Accounts } from '../../contract/accounts.ts'
import { judgeAttempt } from '../../devices/judge-attempt.ts'
import { AccountsError, required } from '../../errors.ts'
import type { AskedChange } from '../../mail/email-change-links.ts'
import type { Mail } from '../../message.ts'
import type { StoredAccount } from '../../store/account-store.ts'
import type { ReservedAddress } from '../../store/address-reservations.ts'
import { canonicalEmail } from '../../store/canonical-email.ts'

const dayMs = 86_400_000

/** A change that the account may request. */
interface Asking {
  readonly account: StoredAccount
  readonly attempt: JudgedAttempt
  readonly key: string | null
  readonly to: string
  /** The account that has the new address, or that it is reserved for. */
  readonly holder: { readonly id: string; readonly isReserved: boolean } | null
  readonly at: number
  /** Of the requests of the account, until they are cancelled. */
  readonly mark: string
}

/**
 * The answer is the same in every case, after the same calls of the store, and before the links are stored. The owner of the new
 * address gets a mail either way, and the current address gets the same notice whether or not the new address is taken.
 * The notice is counted first: if the mailbox gets no notice, the change is not started.
 */
export async function requestEmailChange(
  context: AccountsContext,
  input: Parameters<Accounts['requestEmailChange']>[0],
): Promise<true> {
  required(context.emailChange, 'accounts.reservations')
  const to = canonicalEmail(input.newEmail)
  if (to === null) throw new AccountsError('EMAIL_INVALID', 'a valid email address is required', { field: 'newEmail' })
  const { accounts, reservations, sessions, emailChanges, trail } = context
  const { subject, key = null, epoch = null } = input.identity
  const at = context.now()
  const [account, taken, reserved] = await Promise.all([
    accounts.get(subject),
    accounts.getByEmail(to),
    reservations?.find(to, at) ?? null,
  ])
  if (account?.status !== 'active' || (epoch !== null && epoch !== account.epoch) || account.email === to) return true
  const attempt = judgeAttempt(context, input.attempt, account)
  const said = { type: 'email-change.requested', ...attempt, accountId: subject, sessionKey: key } as const
  const mark = await emailChanges.ask(subject)
  // A session that is revoked from here on cancels the request; one that was revoked before has requested nothing.
  if (key !== null && !(await sessions.find(subject, key))) return true
  trail.announce(said)
  const asking = { account, attempt, key, to, at, mark, holder: holderOf(account, taken, reserved) }
  context.requestedMails.send({
    counted: 'email-change',
    purpose: 'email-change-notice',
    accountId: subject,
    to: account.email,
    attempt,
    write: async () => {
      const requesting = trail.plan(said)
      await requesting.begin()
      const notice = await writeNotice(context, asking)
      await (notice ? requesting.doneSilently() : requesting.failed())
      return notice
    },
  })
  return true
}

/** The account may return to an address that is reserved for it. */
function holderOf(
  account: StoredAccount,
  taken: StoredAccount | null,
  reserved: ReservedAddress | null,
): Asking['holder'] {
  if (taken) return { id: taken.id, isReserved: false }
  return reserved && reserved.accountId !== account.id ? { id: reserved.accountId, isReserved: true } : null
}

/** `null`: the account has changed in the meantime, so the change could not be confirmed. */
async function writeNotice(context: AccountsContext, asking: Asking): Promise<Mail | null> {
  const { emailChange, emailChanges, mailLinks } = context
  const { account, key, to, at, mark } = asking
  const { id: accountId, email: from, epoch } = account
  const undoDays = emailChange?.undoDays ?? 0
  const change = emailChanges.draw({ accountId, mark, epoch, key, from, to, since: at, needsBoth: undoDays === 0 })
  const url = await linkForOld(context, change, undoDays)
  if (url === null) return null
  await mailToNew(context, asking, change)
  return { kind: 'email-change-notice', data: { url, at, resetUrl: mailLinks.requestPasswordReset, undoDays } }
}

/** The address is reserved before the link to leave it exists. */
async function linkForOld(context: AccountsContext, change: AskedChange, undoDays: number): Promise<string | null> {
  const { reservations, emailChanges } = context
  if (undoDays === 0) return emailChanges.createConfirm({ ...change, role: 'old' })
  const { accountId, from: email, since, epoch } = change
  const until = reservedUntil(context, undoDays)
  if (!(await reservations?.reserve({ email, accountId, since, until }, epoch))) return null
  return emailChanges.createUndo({ accountId, since })
}

async function mailToNew(
  { emailChanges, requestedMails, mailLinks }: AccountsContext,
  { account, attempt, to, at, holder }: Asking,
  change: AskedChange,
): Promise<void> {
  const about = { counted: 'new-address', to, attempt } as const
  if (holder !== null) {
    const { id, isReserved } = holder
    const { account: accountUrl, requestPasswordReset: resetUrl } = mailLinks
    const data = { at, accountUrl, resetUrl, occasion: 'email-change', isReserved } as const
    const write = async (): Promise<Mail> => ({ kind: 'account-exists', data })
    return requestedMails.send({ ...about, purpose: 'account-exists', accountId: id, write })
  }
  requestedMails.send({
    ...about,
    purpose: 'confirm-email-change',
    accountId: account.id,
    write: async () => {
      const url = await emailChanges.createConfirm({ ...change, role: 'new' })
      return { kind: 'confirm-email-change', data: { url, at } }
    },
  })
}

/** Returns until when an address stays reserved that is left now. */
export function reservedUntil({ now }: AccountsContext, undoDays: number): number {
  return now() + undoDays * dayMs
}
