import type { Sessions } from '@latchkey/sessions'

/** What the authorization server knows of the access that was given in a session. */
export interface GivenAccess {
  /** Revokes the brief access that was given in the sessions of the lineage. */
  endSession(accountId: string, lineage: string): Promise<void>
  isSessionEnded(lineage: string): Promise<boolean>
}

/** Sessions that end the access of applications before themselves, as those of a whole server do. */
export function endAccessBefore(sessions: Sessions, given: GivenAccess): Sessions {
  const isKept = async (subject: string, lineage: string): Promise<boolean> => {
    const isEnded = await given.isSessionEnded(lineage)
    if (isEnded) await given.endSession(subject, lineage)
    return !isEnded
  }
  return {
    ...sessions,
    async create(input) {
      const { replaces = null, subject } = input
      if (!replaces) return sessions.create(input)
      if (replaces.subject === subject)
        return sessions.create({ ...input, keepsLineage: await isKept(subject, replaces.lineage) })
      await given.endSession(replaces.subject, replaces.lineage)
      return sessions.create(input)
    },
    async regenerate(subject, key, input) {
      const found = await sessions.find(subject, key)
      const keepsLineage = found?.kind !== 'session' || (await isKept(subject, found.lineage))
      return sessions.regenerate(subject, key, { ...input, keepsLineage })
    },
    async revoke(subject, key) {
      const found = await sessions.find(subject, key)
      if (found?.kind === 'session') await given.endSession(subject, found.lineage)
      return sessions.revoke(subject, key)
    },
  }
}
