import type { Sessions } from '@latchkey/sessions'
import type { AuthorizationServer } from '../context/authorization-server.ts'

/** What becomes of the tokens that were issued in a session. */
export type SessionEnds = Pick<
  AuthorizationServer,
  'endSession' | 'renewSession' | 'notifySessionsEnded' | 'isSessionEnded'
>

/**
 * Returns sessions that revoke the tokens of clients before the session itself, so that the caller can retry after a
 * store's failure. If a session is renewed by a step-up or another sign-in of the same account, the tokens stay valid:
 * a client that requests `prompt=login` must not revoke tokens of other clients. If an earlier revocation has failed
 * halfway, the session is renewed under a new lineage, because clients get no tokens under the old lineage. `revokeAll`
 * only notifies clients, because the higher epoch has revoked their tokens.
 */
export function bindSessions(issued: SessionEnds, sessions: Sessions): Sessions {
  /**
   * Returns whether the lineage is still valid, and then remembers its clients as long as the renewed session. If not, all
   * tokens that were issued under it are revoked.
   */
  const isLineageKept = async (subject: string, lineage: string): Promise<boolean> => {
    const isEnded = await issued.isSessionEnded(lineage)
    await (isEnded ? issued.endSession(subject, lineage) : issued.renewSession(subject, lineage))
    return !isEnded
  }
  return {
    ...sessions,
    async create(input) {
      const { replaces = null, subject } = input
      if (!replaces) return sessions.create(input)
      if (replaces.subject === subject) {
        return sessions.create({ ...input, keepsLineage: await isLineageKept(subject, replaces.lineage) })
      }
      await issued.endSession(replaces.subject, replaces.lineage)
      return sessions.create(input)
    },
    async regenerate(subject, key, input) {
      const found = await sessions.find(subject, key)
      const keepsLineage = found?.kind !== 'session' || (await isLineageKept(subject, found.lineage))
      return sessions.regenerate(subject, key, { ...input, keepsLineage })
    },
    async revoke(subject, key) {
      const found = await sessions.find(subject, key)
      if (found?.kind === 'session') await issued.endSession(subject, found.lineage)
      return sessions.revoke(subject, key)
    },
    async revokeAll(subject, options = {}) {
      const { except } = options
      const kept = except === undefined ? null : await sessions.find(subject, except)
      const count = await sessions.revokeAll(subject, options)
      issued.notifySessionsEnded(subject, kept?.kind === 'session' ? { except: kept.lineage } : {})
      return count
    },
  }
}
