import type { Sessions } from '@latchkey/sessions'
import type { ServiceAuthorizationServer } from '../../options/oauth/authorization-server.ts'

/** Ends what clients of others were given out of the sessions of an account that have one lineage, and notifies them. */
export type IssuedTokens = Pick<ServiceAuthorizationServer, 'endSession' | 'notifySessionsEnded' | 'isSessionEnded'>

/**
 * Returns sessions with which ends what was given out of them, whichever way they end: before that, so that the caller can try
 * again where a store fails. It goes on where a session is renewed, by a step-up or a sign-in again of the same account: a client
 * that asks for `prompt=login` must not end what others were given. A session whose end has failed on the way is renewed under
 * another lineage, because clients are given nothing more under its own. `revokeAll` follows a raise of the epoch, which has ended
 * all of it: clients are told.
 */
export function revokeIssuedTokens(sessions: Sessions, given: IssuedTokens): Sessions {
  /** Returns whether the lineage goes on; where it does not, all that was given under it has ended. */
  const isLineageKept = async (subject: string, lineage: string): Promise<boolean> => {
    const isEnded = await given.isSessionEnded(lineage)
    if (isEnded) await given.endSession(subject, lineage)
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
