import type { RefreshFamily } from '@latchkey/sessions'
import type { ServerContext } from '../context/server-context.ts'
import { isOnline } from './new-family.ts'

/** The expiry of the session of the tokens, in epoch milliseconds; `Infinity`: they belong to no session. */
export type SessionEnd = number

/**
 * Returns the expiry of the session of tokens with these scopes; `null`: it has expired, or expires within a second.
 */
export async function findSessionEnd(
  { sessionState, endedSessions, now }: Pick<ServerContext, 'sessionState' | 'endedSessions' | 'now'>,
  {
    scopes,
    subject,
    session,
  }: { readonly scopes: readonly string[]; readonly subject: string; readonly session: string | null },
  { isUse }: { readonly isUse: boolean },
): Promise<SessionEnd | null> {
  if (!isOnline(scopes)) return Number.POSITIVE_INFINITY
  if (session === null || (await endedSessions.has(session))) return null
  const state = await sessionState?.(subject, session, { isUse })
  return state && state.expiresAt >= now() + 1000 ? state.expiresAt : null
}

/**
 * Revokes earlier families of the same client, key and session, so that a page that signs in again at each reload has only one
 * refresh token. Of two concurrent calls at least one family remains.
 */
export async function replaceEarlier({ refreshTokens }: ServerContext, family: RefreshFamily): Promise<void> {
  const { subject, session, clientId, keyBinding, scopes } = family
  if (session === null || !isOnline(scopes ?? [])) return
  await refreshTokens.revokeBySession(subject, session, {
    isMeant: (other) =>
      other.clientId === clientId &&
      other.keyBinding === keyBinding &&
      isOnline(other.scopes ?? []) &&
      isEarlier(other, family),
  })
}

function isEarlier(left: RefreshFamily, right: RefreshFamily): boolean {
  return left.createdAt === right.createdAt ? left.key < right.key : left.createdAt < right.createdAt
}
