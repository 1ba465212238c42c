import type { DenyList } from '@latchkey/jwt'
import type { RefreshTokens, Sessions } from '@latchkey/sessions'

/**
 * Returns sessions that deny the access tokens of every family before they end it: a service that verifies tokens by itself
 * and reads the denials refuses them as well. Where denying fails nothing has ended, and the caller can try again.
 */
export function denyEndedSessions(sessions: Sessions, denyList: DenyList): Sessions {
  return {
    ...sessions,
    async revoke(subject, key) {
      const opened = await sessions.find(subject, key)
      if (opened?.kind === 'refresh') await denyList.denySession(key)
      return sessions.revoke(subject, key)
    },
    async revokeAll(subject, options) {
      const families = (await sessions.list(subject)).filter(({ kind }) => kind === 'refresh')
      for (const { key } of families) if (key !== options?.except) await denyList.denySession(key)
      return sessions.revokeAll(subject, options)
    },
  }
}

/** The same for families. One whose old token was used again has ended by itself, and is revoked then all the same. */
export function denyEndedFamilies(refreshTokens: RefreshTokens, denyList: DenyList): RefreshTokens {
  return {
    ...refreshTokens,
    // A token that is denied before there is a successor would look like one of a sign-in that is over.
    regenerate: (family, change) =>
      refreshTokens.regenerate(family, change, { beforeRevocation: () => denyList.denySession(family.key) }),
    async revoke(key) {
      await denyList.denySession(key)
      return refreshTokens.revoke(key)
    },
  }
}
