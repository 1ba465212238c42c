import type { ListedSession } from '@latchkey/sessions'
import type { AccountsContext } from '../context/accounts-context.ts'
import { raiseEpoch } from './account-changes.ts'

/** What is open of an account; what an older epoch has left behind opens nothing any more and is left out. */
export async function listSessions(context: AccountsContext, subject: string): Promise<readonly ListedSession[]> {
  const [account, listed] = await Promise.all([context.accounts.get(subject), context.sessions.list(subject)])
  return account?.status === 'active' ? listed.filter(({ epoch }) => epoch === account.epoch) : []
}

/** Which session or family is to end, and whose it is. */
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
  /** Leaves the session or family that asks. `true` unless told. */
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

/** With the current one gone as well, the epoch can be raised: access tokens and sign-ins under way end with it. */
async function endAll(context: AccountsContext, subject: string): Promise<number> {
  return (await raiseEpoch(context, subject, () => ({})))?.ended ?? 0
}
