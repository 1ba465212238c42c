import type { Sessions } from '@latchkey/sessions'

/** Ends what clients of others were given out of a session of an account. */
export type EndGiven = (subject: string, sessionKey: string) => Promise<void>

/**
 * Returns sessions with which ends what was given out of them, whichever way they end or are replaced: before that, so that
 * the caller can try again where a store fails. `revokeAll` follows a raise of the epoch, which has ended all of it.
 */
export function endGivenOut(sessions: Sessions, endGiven: EndGiven): Sessions {
  return {
    ...sessions,
    async create(input) {
      if (input.replaces) await endGiven(input.replaces.subject, input.replaces.key)
      return sessions.create(input)
    },
    async regenerate(subject, key, input) {
      await endGiven(subject, key)
      return sessions.regenerate(subject, key, input)
    },
    async revoke(subject, key) {
      if ((await sessions.find(subject, key))?.kind === 'session') await endGiven(subject, key)
      return sessions.revoke(subject, key)
    },
  }
}
