import type { DenyList } from '@latchkey/jwt'
import type { RefreshTokens, Sessions } from '@latchkey/sessions'

/**
 * Returns sessions that deny the access tokens of a family before they revoke it, so that services that verify tokens
 * themselves and read the denials refuse them too. If denying fails, the session is not revoked, and the caller can
 * retry.
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

/** Does the same for families. A family whose old token was reused has revoked itself; its tokens are then denied. */
export function denyEndedFamilies(refreshTokens: RefreshTokens, denyList: DenyList): RefreshTokens {
  return {
    ...refreshTokens,
    // Denied only once its successor exists: otherwise its sign-in would look revoked.
    regenerate: (family, change) =>
      refreshTokens.regenerate(family, change, { beforeRevocation: () => denyList.denySession(family.key) }),
    async revoke(key) {
      await denyList.denySession(key)
      return refreshTokens.revoke(key)
    },
    async revokeBySession(subject, session, { isMeant = () => true } = {}) {
      const denied = new Set<string>()
      const deny = (keys: readonly string[]) => Promise.all(keys.map((key) => denyList.denySession(key)))
      await refreshTokens.revokeBySession(subject, session, {
        isMeant(family) {
          if (isMeant(family)) denied.add(family.key)
          return false
        },
      })
      await deny([...denied])
      const late: string[] = []
      const revoked = await refreshTokens.revokeBySession(subject, session, {
        isMeant(family) {
          const isOne = isMeant(family)
          if (isOne && !denied.has(family.key)) late.push(family.key)
          return isOne
        },
      })
      await deny(late)
      return revoked
    },
  }
}
