import { startDuration } from '@latchkey/core/internal'
import { removeApiKeys } from '../api-keys/stored-api-keys.ts'
import type { AccountsContext } from '../context/accounts-context.ts'
import type { Accounts } from '../contract/accounts.ts'
import { judgeAttempt } from '../devices/judge-attempt.ts'
import { invalidCredentials } from '../errors.ts'
import { guardPassword, type PasswordGuard, verifyGuarded } from '../sign-in/guard-guesses.ts'
import { carryToEpoch } from '../sign-in/kept-key.ts'
import type { StoredAccount } from '../store/account-store.ts'
import { cleanUp } from './account-changes.ts'
import { hashNewPassword } from './hash-new-password.ts'
import { renewAfterChange } from './renew-after-change.ts'

/**
 * The new password is checked before the current one is verified: otherwise a weak new password would allow guessing the
 * current one without changing anything.
 */
export async function changePassword(
  context: AccountsContext,
  input: Parameters<Accounts['changePassword']>[0],
): ReturnType<Accounts['changePassword']> {
  const elapsed = startDuration()
  const { identity, newPassword } = input
  const account = await context.accounts.get(identity.subject)
  const attempt = judgeAttempt(context, input.attempt, account)
  const identifier = account?.email ?? identity.subject
  const guard = await guardPassword(context, { account, identifier, attempt })
  const passwordHash = await hashGuarded(context, guard, { account, password: newPassword })
  const said = { ...attempt, accountId: identity.subject }
  const changing = context.trail.plan({ type: 'password.changed', ...said })
  const before = changing.begin
  const next = { current: input.currentPassword, passwordHash, key: identity.key ?? null, guard, before }
  const changed = account && (await setVerified(context, account, next))
  if (!changed) {
    await changing.failed()
    const sessionKey = identity.key ?? null
    context.emit({ type: 'password.change-failed', ...said, sessionKey, durationMs: elapsed() })
    return invalidCredentials
  }
  await cleanUp(context, { accountId: changed.id, attempt }, [removeApiKeys(context.documents, changed.id)])
  const fresh = { kind: 'password', at: context.now(), category: 'know' } as const
  const renewing = renewAfterChange(context, { identity, attempt, factors: [fresh] }, changed)
  // The owner gets the mail even if the answer is a failure: the password has changed.
  const credentials = await renewing.catch(() => null)
  const { id: accountId, email: to } = changed
  const sessionKey = credentials?.session.key ?? changed.keptKey
  await changing.done({ type: 'password.changed', ...said, sessionKey, durationMs: elapsed() })
  const mail = {
    kind: 'password-changed',
    data: { at: context.now(), resetUrl: context.mailLinks.requestPasswordReset },
  } as const
  context.mails.send({ mail, accountId, attempt, to })
  await renewing
  return {
    ok: true,
    credentials,
    deviceToken: context.knownDevices?.issue(changed, input.attempt.deviceToken, account) ?? null,
  }
}

/** A refused new password reveals nothing about the current password, so the attempt is not counted as a guess. */
async function hashGuarded(
  context: AccountsContext,
  guard: PasswordGuard,
  { account, password }: { readonly account: StoredAccount | null; readonly password: string },
): Promise<string> {
  const names = account ? [account.email, account.name] : []
  try {
    return await hashNewPassword(context, { password, field: 'newPassword', names, lane: 'login' })
  } catch (error) {
    await guard.release().catch(() => undefined)
    throw error
  }
}

interface NextPassword {
  readonly current: string
  readonly passwordHash: string
  /** The session or family of the request. */
  readonly key: string | null
  readonly guard: PasswordGuard
  /** Called when the current one was right, before anything is written. */
  readonly before: () => Promise<void>
}

/**
 * Replaces the verified hash by the new hash. The same swap raises the epoch and names the session to keep, so
 * everything else is invalid from then on.
 */
async function setVerified(
  context: AccountsContext,
  account: StoredAccount,
  next: NextPassword,
  isLastTry = false,
): Promise<StoredAccount | null> {
  const { id, passwordHash: verified, epoch, status } = account
  const { guard, current: password } = next
  const { ok } = await verifyGuarded(context, guard, { password, hash: verified })
  const isRight = ok && status === 'active'
  // The attempt is counted once.
  if (!(isLastTry ? isRight : await guard.settle(isRight))) return null
  await next.before()
  await removeApiKeys(context.documents, id)
  const { key, passwordHash } = next
  const kept = key === null ? null : await carryToEpoch(context, account, key)
  const change = { passwordHash, epoch: epoch + 1, keptKey: kept?.keptKey ?? null }
  if (await context.accounts.replace(id, { passwordHash: verified, epoch, status }, change))
    return { ...account, ...change }
  const latest = await context.accounts.get(id)
  // Only a rehash changes the hash and not the epoch; any other change has ended the session of this request.
  const wasRehashed = !isLastTry && latest?.epoch === epoch
  return wasRehashed ? setVerified(context, latest, next, true) : null
}
