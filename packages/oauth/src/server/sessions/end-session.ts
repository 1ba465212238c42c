import type { ServerContext } from '../context/server-context.ts'

/**
 * Ends what was given out of a session of a browser without `offline_access`. The mark comes first: what is stored out of the
 * session from then on finds it.
 */
export async function endSession(
  { endedSessions, refreshTokens }: ServerContext,
  accountId: string,
  sessionKey: string,
): Promise<void> {
  await endedSessions.add(sessionKey)
  await refreshTokens.revokeBySession(accountId, sessionKey)
}
