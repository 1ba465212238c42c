import { createSession, regenerateSession } from './create-session.ts'
import { findSession, listSessions } from './listed-session.ts'
import { peekSession, readByLineage, readSession } from './read-session.ts'
import { renewSession } from './renew-session.ts'
import { revokeAllSessions, revokeSession } from './revoke-session.ts'
import type { Sessions } from './sessions.ts'
import { createSessionsContext, type SessionsOptions } from './sessions-context.ts'

/**
 * Creates sessions over a record store, with an idle and an overall limit that the server enforces. Requests write no
 * session data, so a late request cannot restore a revoked session.
 *
 * @throws TypeError if an option is unknown or not valid.
 * @example
 * import { createSessions } from '@latchkey/sessions'
 * import { createMemoryRecordStore } from '@latchkey/store'
 * const sessions = createSessions({ records: createMemoryRecordStore() })
 * const issued = await sessions.create({ subject: 'acc_1', factors: [{ kind: 'password', at: Date.now() }] })
 * const session = await sessions.read(issued?.credential ?? null) // what the cookie holds
 */
export function createSessions(options: SessionsOptions): Sessions {
  const context = createSessionsContext(options)
  return {
    create: (input) => createSession(context, input),
    read: (credential, request = {}) => readSession(context, credential, request),
    peek: (credential, peekOptions = {}) => peekSession(context, credential, peekOptions),
    readByLineage: (subject, lineage, lineageOptions) => readByLineage(context, { subject, lineage }, lineageOptions),
    regenerate: (subject, key, input) => regenerateSession(context, { subject, key }, input),
    renew: (subject, key, input) => renewSession(context, { subject, key }, input),
    find: (subject, key, options) => findSession(context.records, { subject, key }, context.now(), options),
    list: (subject) => listSessions(context.records, subject, context.now()),
    revoke: (subject, key) => revokeSession(context, subject, key),
    revokeAll: (subject, revokeOptions) => revokeAllSessions(context, subject, revokeOptions),
    settled: context.touch.settled,
  }
}
