import type { Page, RecordStore, StoredRecord } from '@latchkey/store'
import type { Device } from '../device.ts'
import type { Impersonation } from '../impersonation.ts'
import { type ProviderSession, providerMember } from '../provider-session.ts'
import { firstPartyClientId } from '../refresh/client-binding.ts'
import { isFamilyKey, readFamilyValue, toFamily } from '../refresh/refresh-family.ts'
import { isSessionKey, readSessionValue, toSession } from './session.ts'

/** One line of a device list: a session, or a family of refresh tokens. */
export interface ListedSession {
  /** Its public name, which `revoke` takes. */
  readonly key: string
  readonly kind: 'session' | 'refresh'
  /** The key of the first session or family of a chain of replacements, often its own. */
  readonly lineage: string
  /** Epoch milliseconds, as the other instants. */
  readonly createdAt: number
  readonly lastUsedAt: number
  readonly expiresAt: number
  /** The time at which it expires, regardless of its use. */
  readonly endsAt: number
  /** The `lineage` of the session with which a family expires; `null` without such a session. */
  readonly session: string | null
  readonly device: Device
  /**
   * The lineage of the session that a client's family belongs to, by `online_access`. Omitted for an independent
   * family.
   */
  readonly partOf?: string
  /** The id of the consent that a client's family was given by. Omitted: none. */
  readonly grant?: string
  /** The account's epoch at sign-in: a session with an older epoch than the account's is signed out. */
  readonly epoch: number
  /** The client of others that it was given to; `null`: the service itself. */
  readonly clientId: string | null
  /** The administrator who acts as the account by it; `null` for the owner. */
  readonly impersonation: Impersonation | null
  /** The sign-in at a provider that it came of. Omitted: none. */
  readonly provider?: ProviderSession
}

/** Returns the sessions and families of a subject, the last used first. Other records of the subject are left out. */
export async function listSessions(
  records: RecordStore,
  subject: string,
  now: number,
): Promise<readonly ListedSession[]> {
  const listed: ListedSession[] = []
  for (let page: Page | null = {}; page !== null; ) {
    const { items, cursor } = await records.listByOwner(subject, page)
    for (const record of items) listed.push(...toListed(record, now))
    page = cursor === undefined ? null : { cursor }
  }
  return listed.sort((left, right) => right.lastUsedAt - left.lastUsedAt)
}

/** Returns one session or family of a subject, or `null`. */
export async function findSession(
  records: RecordStore,
  { subject, key }: { readonly subject: string; readonly key: string },
  now: number,
  { readRecord = records.get }: { readRecord?(key: string): Promise<StoredRecord | null> } = {},
): Promise<ListedSession | null> {
  const record = isSessionKey(key) || isFamilyKey(key) ? await readRecord.call(records, key) : null
  return record?.owner === subject ? (toListed(record, now)[0] ?? null) : null
}

function toListed(record: StoredRecord, now: number): ListedSession[] {
  const session = readSessionValue(record, now)
  if (session) {
    const { endsAt } = session
    return [toEntry('session', { ...toSession(record, session), endsAt, session: null, clientId: null })]
  }
  const family = readFamilyValue(record, now)
  if (!family) return []
  const clientId = family.clientId === firstPartyClientId ? null : family.clientId
  const { grant, ...given } = toFamily(record, family)
  const entry = { ...toEntry('refresh', { ...given, clientId }), ...(grant !== null && { grant }) }
  const isPart = family.session !== undefined && family.scopes?.includes('online_access')
  return [isPart ? { ...entry, partOf: family.session } : entry]
}

function toEntry(kind: ListedSession['kind'], entry: Omit<ListedSession, 'kind'>): ListedSession {
  const { key, lineage, createdAt, lastUsedAt, expiresAt, endsAt, session } = entry
  const { device, epoch, clientId, impersonation } = entry
  const times = { createdAt, lastUsedAt, expiresAt, endsAt }
  const facts = { key, kind, lineage, ...times, session, device, epoch, clientId, impersonation }
  return { ...facts, ...providerMember(entry.provider) }
}
