import { encodeBase64url, sha256 } from '@latchkey/bytes'
import { createCredential, StoreError } from '@latchkey/store'
import { boundDevice } from '../device.ts'
import { impersonationMember } from '../impersonation.ts'
import { providerMember } from '../provider-session.ts'
import { enrollmentMember } from '../stored-enrollment.ts'
import { readSessionValue, type Session, type SessionValue, sessionKind, sessionShape, toSession } from './session.ts'
import type { IssuedSession, Sessions } from './sessions.ts'
import type { SessionsContext } from './sessions-context.ts'

/** Stores the new session before it removes the replaced session, so that a session exists at every moment. */
export async function createSession(
  context: SessionsContext,
  input: Parameters<Sessions['create']>[0],
): Promise<IssuedSession | null> {
  const { records, emit } = context
  const { replaces = null } = input
  const issued = await insertSession(context, input)
  const { key: sessionKey, subject: accountId, device } = issued.session
  const said = { sessionKey, accountId, address: device.address }
  if (replaces !== null && !(await retire(context, replaces, sessionKey))) {
    await records.remove(sessionKey)
    emit({ type: 'session.replacement-refused', ...said })
    return null
  }
  emit({ type: 'session.created', ...said, replaced: replaces?.key ?? null })
  return issued
}

export async function regenerateSession(
  context: SessionsContext,
  { subject, key }: { readonly subject: string; readonly key: string },
  input: Pick<Parameters<Sessions['create']>[0], 'epoch' | 'factors' | 'keepsLineage'>,
): Promise<IssuedSession | null> {
  const record = await context.records.get(key)
  const value = record?.owner === subject && readSessionValue(record, context.now())
  // What stands for another account is not renewed: it would be one of the owner.
  if (!value || value.impersonation !== undefined) return null
  const { device, enrollmentSince = null, provider = null, persistent } = value
  const kept = { device, enrollmentSince, provider, persistent }
  return createSession(context, { ...input, ...kept, subject, replaces: toSession(record, value) })
}

async function insertSession(
  context: SessionsContext,
  input: Parameters<Sessions['create']>[0],
): Promise<IssuedSession> {
  const { subject } = input
  if (!subject) throw new TypeError('"subject" must not be empty')
  if (!Array.isArray(input.factors)) throw new TypeError('"factors" must be a list of what was proven: [{ kind, at }]')
  const { key, secret, text: credential } = createCredential(sessionKind)
  const value = createSessionValue(context, secret, input)
  const text = sessionShape.format(value, context.writes())
  const record = { key, owner: subject, expiresAt: value.createdAt + context.idleMs, value: text }
  if (!(await context.records.insert(record))) {
    throw new StoreError('STORE_UNAVAILABLE', 'the store refused a fresh key')
  }
  return { credential, session: toSession(record, value) }
}

function createSessionValue(
  { now, ttlMs, idleMs }: SessionsContext,
  secret: Uint8Array,
  { subject, factors, device, replaces = null, ...input }: Parameters<Sessions['create']>[0],
): SessionValue {
  const { epoch = 0, enrollmentSince = null, persistent = true, keepsLineage = true } = input
  const createdAt = now()
  const { impersonation = null, endsAt = Number.POSITIVE_INFINITY } = input
  return {
    secretHash: encodeBase64url(sha256(secret)),
    epoch,
    factors,
    device: boundDevice(device),
    ...enrollmentMember(enrollmentSince),
    ...(keepsLineage && replaces?.subject === subject ? { lineage: replaces.lineage } : {}),
    ...impersonationMember(impersonation),
    ...providerMember(input.provider),
    persistent,
    createdAt,
    endsAt: Math.min(createdAt + ttlMs, endsAt),
    idleMs,
  }
}

/**
 * Returns whether the replaced session was removed here, or had expired. A session that is absent before its expiry was
 * revoked.
 */
async function retire({ records, now }: SessionsContext, old: Session, newKey: string): Promise<boolean> {
  try {
    return (await records.remove(old.key)) || old.expiresAt <= now()
  } catch (error) {
    // The caller gets this failure and never the new credential, so the new record is removed where possible.
    await records.remove(newKey).catch(() => {})
    throw error
  }
}
