import type { ServerContext } from '../context/server-context.ts'
import { notifyClients } from './notify-clients.ts'

/**
 * Revokes the tokens of a browser's session, except those with `offline_access`, and notifies its clients. The mark is stored
 * first, so that concurrent requests of the session find it after they store tokens.
 */
export async function endSession(context: ServerContext, accountId: string, sessionKey: string): Promise<void> {
  await context.endedSessions.add(sessionKey)
  await context.refreshTokens.revokeBySession(accountId, sessionKey)
  notifyClients(context, accountId, (ended) => ended === sessionKey)
}
