import type { ServerContext } from '../context/server-context.ts'
import { notifyClients } from './notify-clients.ts'

/**
 * Ends what was given out of a session of a browser without `offline_access`, and notifies its clients. The mark comes first:
 * what is stored out of the session from then on finds it.
 */
export async function endSession(context: ServerContext, accountId: string, sessionKey: string): Promise<void> {
  await context.endedSessions.add(sessionKey)
  await context.refreshTokens.revokeBySession(accountId, sessionKey)
  notifyClients(context, accountId, (ended) => ended === sessionKey)
}
