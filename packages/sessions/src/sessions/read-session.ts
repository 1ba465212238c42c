import { parseCredential, type StoredRecord } from '@latchkey/store'
import { type Session, type SessionValue, sessionKind, toSession } from './session.ts'
import type { SessionsContext } from './sessions-context.ts'

export async function peekSession(
  { records, readValue, now }: SessionsContext,
  credential: string | null,
): Promise<Session | null> {
  const presented = parseCredential(sessionKind, credential)
  const record = presented && (await records.get(presented.key))
  const value = record && readValue(record, presented.secret, now())
  return value ? toSession(record, value) : null
}

export async function readSession(context: SessionsContext, credential: string | null): Promise<Session | null> {
  const presented = parseCredential(sessionKind, credential)
  const record = presented && (await context.records.get(presented.key))
  const time = context.now()
  const value = record && context.readValue(record, presented.secret, time)
  if (!value) return null
  const session = toSession(record, value)
  return time - session.lastUsedAt < context.intervalMs ? session : useSession(context, record, value, time)
}

/** Returns the session as of this use, which is written to the store later. */
function useSession({ touch }: SessionsContext, record: StoredRecord, value: SessionValue, time: number): Session {
  const expiresAt = time + value.idleMs
  const session = toSession({ ...record, expiresAt }, value)
  touch.start({ key: session.key, owner: session.subject }, expiresAt)
  return session
}
