import { firstPartyClientId } from '@latchkey/sessions/internal'
import type { AccountsContext } from '../context/accounts-context.ts'
import type { IdentityAccount, StoredAccount } from '../store/account-store.ts'

/** A session or family, as the account judges it. */
export interface Opened {
  readonly key: string
  readonly epoch: number
}

interface OpenedOf extends Opened {
  readonly subject: string
}

/**
 * Whether a session or family is valid for the account as it is now: of its epoch, or of the epoch before and the one that
 * the last raise has kept.
 */
export function isValidFor({ status, epoch, keptKey }: IdentityAccount, opened: Opened): boolean {
  if (status !== 'active') return false
  return opened.epoch === epoch || (opened.epoch === epoch - 1 && opened.key === keptKey)
}

/**
 * Returns the account of a session or family while that is valid, otherwise `null`. What was read before the account may
 * have been carried to a later epoch in the meantime, to be kept by the raise that follows: then it is read again.
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

/** What a raise keeps. */
export type Kept = Pick<StoredAccount, 'keptKey'>

/**
 * Returns what a raise by the holder of a session or family keeps, and carries that to the epoch of the account as it was
 * read: only what has the epoch before is kept. A family of a client of others is not. `null`: it has ended.
 *
 * @param without the kinds whose proofs count no longer, whether or not the raise follows.
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
