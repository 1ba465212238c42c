import { isFamilyKey } from '../refresh/refresh-family.ts'
import { listSessions } from './listed-session.ts'
import { isSessionKey } from './session.ts'
import type { SessionsContext } from './sessions-context.ts'

/**
 * Revokes sessions and families only: the subject's other records, for example one-time links, are not revoked by their
 * key.
 */
export async function revokeSession(
  { records, emit }: SessionsContext,
  subject: string,
  key: string,
): Promise<boolean> {
  const record = isSessionKey(key) || isFamilyKey(key) ? await records.get(key) : null
  if (record?.owner !== subject || !(await records.remove(key))) return false
  emit({ type: isFamilyKey(key) ? 'family.ended' : 'session.ended', sessionKey: key, accountId: subject })
  return true
}

export async function revokeAllSessions(
  { records, now, emit }: SessionsContext,
  subject: string,
  options: { readonly except?: string } = {},
): Promise<number> {
  const listed = (await listSessions(records, subject, now())).filter(({ key }) => key !== options.except).length
  // A replacement that was being stored during the first call has been stored before the second one begins.
  const removed = (await records.removeByOwner(subject, options)) + (await records.removeByOwner(subject, options))
  const count = Math.min(listed, removed)
  emit({ type: 'sessions.ended', accountId: subject, count })
  return count
}
