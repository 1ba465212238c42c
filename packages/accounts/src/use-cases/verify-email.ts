import { type Attempt, unknownAttempt } from '../attempt.ts'
import type { AccountsContext } from '../context/accounts-context.ts'
import { invalidLink, type Refusal } from '../errors.ts'
import { firstPasswordLetter } from '../mail/letters.ts'
import type { PendingAccount } from '../mail/pending-accounts.ts'
import { type Account, drawAccountId, type StoredAccount, toAccount } from '../store/account-store.ts'
import { cleanUp } from './account-changes.ts'

/** The address is proven, and the account exists. */
export interface EmailVerified {
  readonly ok: true
  readonly account: Account
}

/** The verdict on the link of a sign-up. */
export type VerifyEmailResult = EmailVerified | Refusal<'link-invalid'>

/** An account that is about to be created, and the call that does it: `false` when another one was first. */
interface Opening {
  readonly account: StoredAccount
  readonly commit: () => Promise<boolean>
}

/**
 * Creates the account that waits behind a link. One address has one account, so the row of the account ensures that it
 * happens once: the link is removed after it, and a store that fails before leaves the link as it was.
 */
export async function verifyEmail(
  context: AccountsContext,
  { token, attempt = unknownAttempt }: { readonly token: string; readonly attempt?: Attempt },
): Promise<VerifyEmailResult> {
  const pending = await context.pendingAccounts.read(token)
  const account = pending && (await openAccount(context, pending))
  if (!account) {
    context.emit({ type: 'link-refused', purpose: 'verify-email', attempt })
    return invalidLink
  }
  await cleanUp(context, account.id, [context.pendingAccounts.endAll(account.email)])
  context.emit({ type: 'email-verified', accountId: account.id })
  return { ok: true, account: toAccount(account) }
}

async function openAccount(context: AccountsContext, pending: PendingAccount): Promise<StoredAccount | null> {
  const opening = await prepareOpening(context, pending)
  if (!opening) return null
  const { account, commit } = opening
  if (account.passwordHash !== null) return (await commit()) ? account : null
  // The link is stored first and is not valid until the account exists: no account is left without a way to sign in.
  const url = await context.resets.create(account.email, account)
  if (!(await commit())) return null
  const { id: accountId, email: to } = account
  context.mails.send({ purpose: 'reset-password', accountId, to, letter: firstPasswordLetter(url) })
  return account
}

async function prepareOpening(context: AccountsContext, pending: PendingAccount): Promise<Opening | null> {
  const { accounts, signUpRole } = context
  const existing = await accounts.getByEmail(pending.email)
  if (existing) return prepareAdoption(context, existing, pending)
  if (signUpRole === null) return null
  const { email, name, passwordHash } = pending
  const account = {
    id: drawAccountId(),
    email,
    name,
    passwordHash,
    roles: [signUpRole],
    status: 'active',
    epoch: 0,
    keptKey: null,
    enrolled: [],
  } as const
  return { account, commit: () => accounts.insert(account) }
}

/** An account that an import left unverified: its owner has proven the address, and the password that it had is void. */
function prepareAdoption(
  { accounts }: AccountsContext,
  existing: StoredAccount,
  { passwordHash }: PendingAccount,
): Opening | null {
  const { id, status, epoch } = existing
  if (status !== 'unverified') return null
  const next = { status: 'active', passwordHash, epoch: epoch + 1, keptKey: null } as const
  return { account: { ...existing, ...next }, commit: () => accounts.replace(id, { status, epoch }, next) }
}
