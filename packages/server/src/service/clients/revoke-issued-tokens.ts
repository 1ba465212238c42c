import type { Sessions } from '@latchkey/sessions'
import type { ServiceAuthorizationServer } from '../../options/oauth/authorization-server.ts'

/** Revokes the tokens that clients got from sessions of a lineage, and notifies the clients. */
export type IssuedTokens = Pick<
  ServiceAuthorizationServer,
  'endSession' | 'renewSession' | 'notifySessionsEnded' | 'isSessionEnded'
>

/**
 * Returns sessions that revoke the tokens of clients before the session itself, so that the caller can retry after a
 * store's failure. If a session is renewed by a step-up or another sign-in of the same account, the tokens stay valid:
 * a client that requests `prompt=login` must not revoke tokens of other clients. If an earlier revocation has failed
 * halfway, the session is renewed under a new lineage, because clients get no tokens under the old lineage. `revokeAll`
 * only notifies clients, because the higher epoch has revoked their tokens.
 */
export function revokeIssuedTokens(sessions: Sessions, given: IssuedTokens): Sessions {
  /**
   * Returns whether the lineage is still valid, and then remembers its clients as long as the renewed session. If not, all tokens
   * issued under it are revoked.
   */
  const isLineageKept = async (subject: string, lineage: string): Promise<boolean> => {
    const isEnded = await given.isSessionEnded(lineage)
    await (isEnded ? given.endSession(subject, lineage) : given.renewSession(subject, lineage))
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
      await given.endSession(replaces.subject, replaces.lineage)
      return sessions.create(input)
    },
    async regenerate(subject, key, input) {
      const found = await sessions.find(subject, key)
      const keepsLineage = found?.kind !== 'session' || (await isLineageKept(subject, found.lineage))
      return sessions.regenerate(subject, key, { ...input, keepsLineage })
    },
    async revoke(subject, key) {
      const found = await sessions.find(subject, key)
      if (found?.kind === 'session') await given.endSession(subject, found.lineage)
      return sessions.revoke(subject, key)
    },
    async revokeAll(subject, options = {}) {
      const { except } = options
      const kept = except === undefined ? null : await sessions.find(subject, except)
      const count = await sessions.revokeAll(subject, options)
      given.notifySessionsEnded(subject, kept?.kind === 'session' ? { except: kept.lineage } : {})
      return count
    },
  }
}
