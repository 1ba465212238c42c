import type { ListedSession } from '@latchkey/sessions'
import type { AccountsContext } from '../context/accounts-context.ts'
import { raiseEpoch } from './account-changes.ts'

/** Returns the open sessions and families of an account. Those of an older epoch give no access and are omitted. */
export async function listSessions(context: AccountsContext, subject: string): Promise<readonly ListedSession[]> {
  const [account, listed] = await Promise.all([context.accounts.get(subject), context.sessions.list(subject)])
  return account?.status === 'active' ? listed.filter(({ epoch }) => epoch === account.epoch) : []
}

/** The session or family to end, and the account that it belongs to. */
export interface RevokeSessionInput {
  readonly subject: string
  readonly key: string
}

export async function revokeSession(context: AccountsContext, { subject, key }: RevokeSessionInput): Promise<boolean> {
  const revoked = await context.sessions.revoke(subject, key)
  if (revoked) context.emit({ type: 'session-revoked', accountId: subject, key })
  return revoked
}

export interface RevokeAllSessionsInput {
  readonly identity: { readonly subject: string; readonly key?: string | null }
  /**
   * Keeps the session or family of the request.
   * @default true
   */
  readonly exceptCurrent?: boolean
}

export async function revokeAllSessions(
  context: AccountsContext,
  { identity, exceptCurrent = true }: RevokeAllSessionsInput,
): Promise<number> {
  const { subject, key } = identity
  const count =
    exceptCurrent && key ? await context.sessions.revokeAll(subject, { except: key }) : await endAll(context, subject)
  context.emit({ type: 'sessions-revoked', accountId: subject, count })
  return count
}

/** Where the current one ends as well, the epoch is raised: access tokens and sign-ins under way end with it. */
async function endAll(context: AccountsContext, subject: string): Promise<number> {
  return (await raiseEpoch(context, subject, () => ({})))?.ended ?? 0
}
