import { startDuration } from '@latchkey/core/internal'
import type { JudgedAttempt } from '../attempt.ts'
import type { AccountsContext } from '../context/accounts-context.ts'
import type { Accounts } from '../contract/accounts.ts'
import { judgeUnread } from '../devices/judge-attempt.ts'
import { isSameBrowser, type PendingAccount } from '../mail/pending-accounts.ts'
import { refuseLink } from '../sign-in/refuse-link.ts'
import { drawAccountId, type StoredAccount, toAccount } from '../store/account-store.ts'
import { cleanUp, enablePassword } from './account-changes.ts'
import { removeLinks } from './remove-links.ts'

/** An account that is about to be created or adopted, and its write: `false` if another caller was first. */
interface Opening {
  readonly account: StoredAccount
  readonly isNew: boolean
  readonly commit: () => Promise<boolean>
}

/** An account that is open. */
interface Opened {
  readonly account: StoredAccount
  /** Says it: once everything is done that goes with it. */
  readonly say: (durationMs: number) => Promise<void>
}

/** A sign-up, with the password that its account begins with. */
type ProvenSignUp = Pick<PendingAccount, 'email' | 'name'> & { readonly passwordHash: string | null }

/**
 * Creates the account of a sign-up by its link. An address has one account, so the row of the account ensures that it
 * happens once: the link is removed after it, and a store that fails before leaves the link usable.
 */
export async function verifyEmail(
  context: AccountsContext,
  input: Parameters<Accounts['verifyEmail']>[0],
): ReturnType<Accounts['verifyEmail']> {
  const elapsed = startDuration()
  const pending = await context.pendingAccounts.read(input.token)
  const holder = async () => (pending ? context.accounts.getByEmail(pending.email) : null)
  const attempt = await judgeUnread(context, input.attempt, holder)
  const opened =
    pending && (await openAccount(context, await proveSignUp(context, pending, input), { token: input.token, attempt }))
  if (!opened) {
    return refuseLink(context, attempt, { purpose: 'verify-email', isUnknown: !pending, durationMs: elapsed() })
  }
  const { account, say } = opened
  const accountId = account.id
  await cleanUp(context, { accountId, attempt }, [
    context.pendingAccounts.endAll(account.email),
    enablePassword(context, accountId),
  ])
  await say(elapsed())
  return { ok: true, account: toAccount(account), hasPassword: account.passwordHash !== null }
}

/**
 * The link proves who holds the address, and not who signed up: anyone can enter the address of someone else. The
 * password counts for a user who proves both.
 */
async function proveSignUp(
  { passwordHasher }: AccountsContext,
  pending: PendingAccount,
  { password, browserSecret, attempt: { address: client } }: Parameters<Accounts['verifyEmail']>[0],
): Promise<ProvenSignUp> {
  if (isSameBrowser(pending, browserSecret)) return pending
  const isShown =
    typeof password === 'string' &&
    (await passwordHasher.verify(password, pending.passwordHash, { lane: 'idle', client })).ok
  return isShown ? pending : { ...pending, passwordHash: null }
}

async function openAccount(
  context: AccountsContext,
  signUp: ProvenSignUp,
  { token, attempt }: { readonly token: string; readonly attempt: JudgedAttempt },
): Promise<Opened | null> {
  const opening = await prepareOpening(context, signUp, token)
  if (!opening) return null
  const { account } = opening
  if (account.passwordHash !== null) return commitOpening(context, opening, attempt)
  // The link is stored first and is not valid until the account exists: no account is left without a way to sign in.
  const url = await context.resets.create(account.email, account)
  const opened = await commitOpening(context, opening, attempt)
  if (!opened) return null
  const { id: accountId, email: to } = account
  context.mails.send({
    mail: { kind: 'choose-password', data: { url, occasion: 'new-account' } },
    accountId,
    attempt,
    to,
  })
  return opened
}

/** Two decisions by one swap: the address is proven, and unless it was there before, the account is created. */
async function commitOpening(
  context: AccountsContext,
  { account, isNew, commit }: Opening,
  attempt: JudgedAttempt,
): Promise<Opened | null> {
  const { trail } = context
  const { id: accountId, roles } = account
  const created = { type: 'account.created', ...attempt, accountId, roles, actorId: accountId } as const
  const verified = { type: 'email.verified', ...attempt, accountId } as const
  const creating = isNew ? trail.plan(created) : null
  const verifying = trail.plan(verified)
  await creating?.begin()
  await verifying.begin()
  // What was linked before was not by who has proven the address.
  if (!isNew) await removeLinks(context, { accountId, attempt })
  if (!(await commit())) {
    await creating?.failed()
    await verifying.failed()
    return null
  }
  // A link that was added before the swap.
  if (!isNew) await cleanUp(context, { accountId, attempt }, [removeLinks(context, { accountId, attempt })])
  return {
    account,
    async say(durationMs) {
      await creating?.done(created)
      await verifying.done({ ...verified, durationMs })
    },
  }
}

async function prepareOpening(context: AccountsContext, signUp: ProvenSignUp, token: string): Promise<Opening | null> {
  const { accounts, pendingAccounts, reservations, signUpRole } = context
  const existing = await accounts.getByEmail(signUp.email)
  if (existing) return prepareAdoption(context, existing, signUp)
  if (signUpRole === null) return null
  await reservations?.release(context.now())
  const { email, name, passwordHash } = signUp
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
  // Another use of the link may have created an account that was deleted since: a deletion ends the link before it frees the address.
  const commit = async (): Promise<boolean> => (await pendingAccounts.read(token)) !== null && accounts.insert(account)
  return { account, isNew: true, commit }
}

/** An account that an import left unverified: its owner has proven the address, and the password and links that it had are void. */
function prepareAdoption(
  { accounts }: AccountsContext,
  existing: StoredAccount,
  { passwordHash }: ProvenSignUp,
): Opening | null {
  const { id, status, epoch } = existing
  if (status !== 'unverified') return null
  const next = { status: 'active', passwordHash, epoch: epoch + 1, keptKey: null } as const
  const commit = (): Promise<boolean> => accounts.replace(id, { status, epoch }, next)
  return { account: { ...existing, ...next }, isNew: false, commit }
}
