import type { Sessions } from '@latchkey/sessions'

/** Ends what clients of others were given out of the sessions of an account that have this lineage. */
export type EndGiven = (subject: string, lineage: string) => Promise<void>

/**
 * Returns sessions with which ends what was given out of them, whichever way they end: before that, so that the caller can try
 * again where a store fails. It goes on where a session is renewed, by a step-up or a sign-in again of the same account: a client
 * that asks for `prompt=login` must not end what others were given. `revokeAll` follows a raise of the epoch, which has ended all
 * of it.
 */
export function endGivenOut(sessions: Sessions, endGiven: EndGiven): Sessions {
  return {
    ...sessions,
    async create(input) {
      const { replaces = null, subject } = input
      if (replaces && replaces.subject !== subject) await endGiven(replaces.subject, replaces.lineage)
      return sessions.create(input)
    },
    async revoke(subject, key) {
      const found = await sessions.find(subject, key)
      if (found?.kind === 'session') await endGiven(subject, found.lineage)
      return sessions.revoke(subject, key)
    },
  }
}
