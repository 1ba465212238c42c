import { firstPartyClientId } from '@latchkey/sessions/internal'
import type { AccountsContext } from '../context/accounts-context.ts'
import type { IdentityAccount, StoredAccount } from '../store/account-store.ts'

/** The members of a session or family that the account is compared with. */
export interface Opened {
  readonly key: string
  readonly epoch: number
}

interface OpenedOf extends Opened {
  readonly subject: string
}

/**
 * Whether a session or family is valid for the current state of the account: it has the account's epoch, or it has the
 * epoch before and was kept by the last raise.
 */
export function isValidFor({ status, epoch, keptKey }: IdentityAccount, opened: Opened): boolean {
  if (status !== 'active') return false
  return opened.epoch === epoch || (opened.epoch === epoch - 1 && opened.key === keptKey)
}

/**
 * Returns the account of a session or family while it is valid, otherwise `null`. A session that was read before the
 * account may have been carried to a later epoch by the raise that keeps it, so it is read again.
 */
export async function findValid(
  context: Pick<AccountsContext, 'accounts' | 'sessions'>,
  opened: OpenedOf,
): Promise<StoredAccount | null> {
  return judge(context, await context.accounts.get(opened.subject), opened)
}

/** Returns the account as it was read with a session or family, while that is valid: `findValid` without another read. */
export async function judge<Account extends IdentityAccount>(
  { sessions }: Pick<AccountsContext, 'sessions'>,
  account: Account | null,
  opened: OpenedOf,
): Promise<Account | null> {
  if (!account || isValidFor(account, opened)) return account
  const latest = account.keptKey === opened.key ? await sessions.find(opened.subject, opened.key) : null
  return latest && isValidFor(account, latest) ? account : null
}

/** The part of an account that names the kept session or family. */
export type Kept = Pick<StoredAccount, 'keptKey'>

/**
 * Returns the session or family that a raise keeps, for the holder, and carries it to the epoch of the account as it
 * was read, since a raise keeps only the epoch before. A family of another client is not kept. `null`: it was revoked.
 *
 * @param without the kinds whose proofs no longer count, whether or not the raise follows.
 */
export async function carryToEpoch(
  { sessions, refreshTokens }: AccountsContext,
  account: StoredAccount,
  key: string,
  without: readonly string[] = [],
): Promise<Kept | null> {
  const { id: subject, epoch } = account
  const opened = await sessions.find(subject, key)
  if (!opened || !isValidFor(account, opened)) return null
  if (opened.kind === 'session')
    return (await sessions.renew(subject, key, { epoch, without })) ? { keptKey: key } : null
  const family = await refreshTokens.read(key)
  if (family && family.clientId !== firstPartyClientId) return { keptKey: null }
  return family && (await refreshTokens.renew(family, { epoch, without })) ? { keptKey: key } : null
}
