import type { StoredDenyList } from '@latchkey/jwt'
import type { RefreshTokens, Sessions } from '@latchkey/sessions'

/**
 * Returns sessions that deny the access tokens of every family before they end it: a service that verifies tokens by itself
 * and reads the denials refuses them as well. Where denying fails nothing has ended, and the caller can try again.
 */
export function denyEndedSessions(sessions: Sessions, denyList: StoredDenyList): Sessions {
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

/** The same for families, and for one that ends because an old token of it was used again: a copy of it exists. */
export function denyEndedFamilies(refreshTokens: RefreshTokens, denyList: StoredDenyList): RefreshTokens {
  return {
    ...refreshTokens,
    async redeem(token, presenter) {
      const verdict = await refreshTokens.redeem(token, presenter)
      // A refresh token begins with the key of its family, and only one that was a family's own is found to be reused.
      if (!verdict.ok && verdict.reason === 'reused') await denyList.denySession(keyOf(token))
      return verdict
    },
    async regenerate(family, change) {
      await denyList.denySession(family.key)
      return refreshTokens.regenerate(family, change)
    },
    async revoke(key) {
      await denyList.denySession(key)
      return refreshTokens.revoke(key)
    },
  }
}

function keyOf(token: string | null): string {
  return token?.split('.', 1)[0] ?? ''
}
