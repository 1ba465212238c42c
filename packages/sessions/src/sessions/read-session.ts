import { type Page, parseCredential, type StoredRecord } from '@latchkey/store'
import { readSessionValue, type Session, type SessionValue, sessionKind, toSession } from './session.ts'
import type { Sessions } from './sessions.ts'
import type { SessionsContext } from './sessions-context.ts'

export async function peekSession(
  { records, readValue, now }: SessionsContext,
  credential: string | null,
  { readRecord = records.get }: NonNullable<Parameters<Sessions['peek']>[1]>,
): Promise<Session | null> {
  const presented = parseCredential(sessionKind, credential)
  const record = presented && (await readRecord.call(records, presented.key))
  const value = record && readValue(record, presented.secret, now())
  return value ? toSession(record, value) : null
}

export async function readSession(
  context: SessionsContext,
  credential: string | null,
  request: NonNullable<Parameters<Sessions['read']>[1]>,
): Promise<Session | null> {
  const presented = parseCredential(sessionKind, credential)
  const { readRecord = context.records.get } = request
  const record = presented && (await readRecord.call(context.records, presented.key))
  const time = context.now()
  const value = record && context.readValue(record, presented.secret, time)
  if (!value) return null
  const session = toSession(record, value)
  if (time - session.lastUsedAt < context.intervalMs) return session
  const { used, touch } = useSession(context, record, value, time)
  if (touch) request.waitUntil?.(touch)
  return used
}

/** Searches all sessions of the subject, because a replaced session has another key. */
export async function readByLineage(
  context: SessionsContext,
  { subject, lineage }: { readonly subject: string; readonly lineage: string },
  { isUse = true }: NonNullable<Parameters<Sessions['readByLineage']>[2]> = {},
): Promise<Session | null> {
  const { records, now, intervalMs } = context
  for (let page: Page | null = {}; page !== null; ) {
    const { items, cursor } = await records.listByOwner(subject, page)
    const time = now()
    for (const record of items) {
      const value = readSessionValue(record, time)
      if (!value || (value.lineage ?? record.key) !== lineage) continue
      const session = toSession(record, value)
      if (!isUse || time - session.lastUsedAt < intervalMs) return session
      const { used, touch } = useSession(context, record, value, time)
      await touch
      return used
    }
    page = cursor === undefined ? null : { cursor }
  }
  return null
}

/** Returns the session as of this use, which is written to the store later. */
function useSession(
  { touch }: SessionsContext,
  record: StoredRecord,
  value: SessionValue,
  time: number,
): { readonly used: Session; readonly touch: Promise<void> | null } {
  const expiresAt = time + value.idleMs
  const used = toSession({ ...record, expiresAt }, value)
  return { used, touch: touch.start({ key: used.key, owner: used.subject }, expiresAt) }
}
