import type { RecordStore, StoredRecord } from '@latchkey/store'
import type { Device } from './device.ts'
import { readFamilyValue, toFamily } from './refresh-family.ts'
import { readSessionValue, toSession } from './session.ts'

/** One line of a device list: a session, or a family of refresh tokens. */
export interface ListedSession {
  /** Its public name, for `revoke`. */
  readonly key: string
  readonly kind: 'session' | 'refresh'
  /** Epoch milliseconds, as the other instants. */
  readonly createdAt: number
  readonly lastUsedAt: number
  readonly expiresAt: number
  readonly device: Device
  /** The account's epoch that it belongs to: one of an older epoch opens nothing any more. */
  readonly epoch: number
}

/** Gives what is open of one subject, of both kinds, the last used first. Other records of the subject are left out. */
export async function listSessions(
  records: RecordStore,
  subject: string,
  now: number,
): Promise<readonly ListedSession[]> {
  const listed: ListedSession[] = []
  let cursor: string | undefined
  do {
    const page = await records.listByOwner(subject, cursor === undefined ? {} : { cursor })
    for (const record of page.items) listed.push(...toListed(record, now))
    cursor = page.cursor
  } while (cursor !== undefined)
  return listed.sort((left, right) => right.lastUsedAt - left.lastUsedAt)
}

function toListed(record: StoredRecord, now: number): ListedSession[] {
  const session = readSessionValue(record, now)
  if (session) return [pick('session', toSession(record, session))]
  const family = readFamilyValue(record, now)
  return family ? [pick('refresh', toFamily(record, family))] : []
}

function pick(kind: ListedSession['kind'], entry: Omit<ListedSession, 'kind'>): ListedSession {
  const { key, createdAt, lastUsedAt, expiresAt, device, epoch } = entry
  return { key, kind, createdAt, lastUsedAt, expiresAt, device, epoch }
}
