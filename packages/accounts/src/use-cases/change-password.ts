import type { FactorProof } from '@latchkey/store'
import type { AccountsContext } from '../context/accounts-context.ts'
import { invalidCredentials, type Refusal } from '../errors.ts'
import { passwordChangedLetter } from '../mail/letters.ts'
import type { StoredAccount } from '../store/account-store.ts'
import { cleanUp } from './account-changes.ts'
import { hashNewPassword } from './hash-new-password.ts'
import type { SessionCredentials } from './issue-credentials.ts'

export interface ChangePasswordInput {
  /** The identity of the request. */
  readonly identity: {
    readonly subject: string
    readonly key?: string | null
    readonly via?: 'cookie' | 'bearer' | null
    readonly factors?: readonly FactorProof[]
  }
  readonly currentPassword: string
  readonly newPassword: string
}

/** The new password is set. */
export interface PasswordChanged {
  readonly ok: true
  /**
   * A new session for the cookie. `null`: there is nothing to deliver, because the change came with a bearer token, whose
   * family continues, or with a session that was ended in the meantime, or because the store failed after the password
   * was set: then the user signs in again.
   */
  readonly credentials: SessionCredentials | null
}

/** The verdict on the current password. */
export type ChangePasswordResult = PasswordChanged | Refusal<'invalid-credentials'>

/**
 * The new password is checked before the current one is verified: otherwise a weak new password would allow guessing the
 * current one without changing anything.
 */
export async function changePassword(
  context: AccountsContext,
  input: ChangePasswordInput,
): Promise<ChangePasswordResult> {
  const { identity, newPassword } = input
  const account = await context.accounts.get(identity.subject)
  const names = account ? [account.email, account.name] : []
  const passwordHash = await hashNewPassword(context, { password: newPassword, field: 'newPassword', names })
  const changed = account && (await setVerified(context, account, { current: input.currentPassword, passwordHash }))
  if (!changed) {
    context.emit({ type: 'password-change-refused', accountId: identity.subject })
    return invalidCredentials
  }
  const credentials = await carryOver(context, input, changed.epoch)
  const { id: accountId, email: to } = changed
  context.emit({ type: 'password-changed', accountId })
  const letter = passwordChangedLetter(context.home)
  context.mails.send({ purpose: 'password-changed', accountId, to, letter })
  return { ok: true, credentials }
}

/** Replaces the verified hash by the new one and raises the epoch with it: what has the old epoch is invalid from here. */
async function setVerified(
  context: AccountsContext,
  account: StoredAccount,
  next: { readonly current: string; readonly passwordHash: string },
  isLastTry = false,
): Promise<StoredAccount | null> {
  const { id, passwordHash: verified, epoch, status } = account
  const { ok } = await context.passwords.verify(next.current, verified)
  if (!ok || status !== 'active') return null
  const change = { passwordHash: next.passwordHash, epoch: epoch + 1 }
  if (await context.accounts.replace(id, { passwordHash: verified, epoch, status }, change))
    return { ...account, ...change }
  const latest = await context.accounts.get(id)
  // Only a rehash changes the hash and not the epoch; any other change has ended the session of this request.
  const wasRehashed = !isLastTry && latest?.epoch === epoch
  return wasRehashed ? setVerified(context, latest, next, true) : null
}

/**
 * Moves the session or family of the request to the new epoch, a session under a new credential, and ends all others.
 * The password is set by now: a failure here must not deny it, and what was open before is invalid by its epoch.
 */
async function carryOver(
  context: AccountsContext,
  { identity }: ChangePasswordInput,
  epoch: number,
): Promise<PasswordChanged['credentials']> {
  const { subject, via } = identity
  const carrying = via === 'cookie' ? carrySession(context, identity, epoch) : carryFamily(context, identity, epoch)
  const carried = await carrying.catch(() => null)
  const within = carried ? { except: carried.key } : {}
  await cleanUp(context, subject, [carrying, context.sessions.revokeAll(subject, within)])
  return carried?.credentials ?? null
}

/** A session or family that continues in the new epoch. */
interface Carried {
  readonly key: string
  readonly credentials: SessionCredentials | null
}

async function carrySession(
  { sessions, now }: AccountsContext,
  { subject, key = null, factors }: ChangePasswordInput['identity'],
  epoch: number,
): Promise<Carried | null> {
  const change = { epoch, factors: withFreshPassword(factors, now()) }
  const issued = key === null ? null : await sessions.regenerate(subject, key, change)
  return issued && { key: issued.session.key, credentials: { delivery: 'session', ...issued } }
}

async function carryFamily(
  { refreshTokens }: AccountsContext,
  { subject, key = null }: ChangePasswordInput['identity'],
  epoch: number,
): Promise<Carried | null> {
  const family = key === null ? null : await refreshTokens.read(key)
  if (key === null || family?.subject !== subject) return null
  return (await refreshTokens.renew(family, { epoch })) ? { key, credentials: null } : null
}

function withFreshPassword(factors: readonly FactorProof[] = [], at: number): readonly FactorProof[] {
  return [...factors.filter(({ kind }) => kind !== 'password'), { kind: 'password', at }]
}
