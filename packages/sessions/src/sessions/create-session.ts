import { encodeBase64url, sha256 } from '@latchkey/bytes'
import { createCredential, type FactorProof, StoreError } from '@latchkey/store'
import { boundDevice, type Device } from '../device.ts'
import { type Impersonation, impersonationMember } from '../impersonation.ts'
import { type ProviderSession, providerMember } from '../provider-session.ts'
import { enrollmentMember } from '../stored-enrollment.ts'
import { readSessionValue, type Session, type SessionValue, sessionKind, sessionShape, toSession } from './session.ts'
import type { SessionsContext } from './sessions-context.ts'

export interface SessionInput {
  /** The account's id. */
  readonly subject: string
  /**
   * The account's epoch at sign-in.
   * @default 0
   */
  readonly epoch?: number
  /** The factors that were proven, with their times. */
  readonly factors: readonly FactorProof[]
  readonly device?: Device
  /**
   * Since when the account is asked to set up a second factor, epoch milliseconds. The session keeps it, and what replaces
   * it by `regenerate` does.
   * @default null
   */
  readonly enrollmentSince?: number | null
  /**
   * `false`: its cookie ends with the browser.
   * @default true
   */
  readonly persistent?: boolean
  /**
   * An administrator who acts as the account. It is not carried on by `regenerate`.
   * @default null
   */
  readonly impersonation?: Impersonation | null
  /**
   * The sign-in at a provider that it comes of. What replaces it by `regenerate` keeps it.
   * @default null
   */
  readonly provider?: ProviderSession | null
  /**
   * When the session ends at the latest, epoch milliseconds.
   * @default `ttlSeconds` from now
   */
  readonly endsAt?: number
  /** The session of the same browser until now: it ends when the new one begins. */
  readonly replaces?: Session | null
  /**
   * Whether it goes on under the `lineage` of the session that it replaces, where that is of the same account. `false`: it begins
   * one of its own, because what was given out of the others has ended.
   * @default true
   */
  readonly keepsLineage?: boolean
}

/** A new session with its credential, which cannot be read again. */
export interface IssuedSession {
  readonly credential: string
  readonly session: Session
}

/** Stores the new session first and removes the replaced one then, so that at no time there is none. */
export async function createSession(context: SessionsContext, input: SessionInput): Promise<IssuedSession | null> {
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
  input: Pick<SessionInput, 'epoch' | 'factors' | 'keepsLineage'>,
): Promise<IssuedSession | null> {
  const record = await context.records.get(key)
  const value = record?.owner === subject && readSessionValue(record, context.now())
  // What stands for another account is not renewed: it would be one of the owner.
  if (!value || value.impersonation !== undefined) return null
  const { device, enrollmentSince = null, provider = null, persistent } = value
  const kept = { device, enrollmentSince, provider, persistent }
  return createSession(context, { ...input, ...kept, subject, replaces: toSession(record, value) })
}

async function insertSession(context: SessionsContext, input: SessionInput): Promise<IssuedSession> {
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
  { subject, factors, device, replaces = null, ...input }: SessionInput,
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

/** Whether the replaced session has ended: removed here, or expired. Absent before its expiry means revoked. */
async function retire({ records, now }: SessionsContext, old: Session, newKey: string): Promise<boolean> {
  try {
    return (await records.remove(old.key)) || old.expiresAt <= now()
  } catch (error) {
    // The caller gets this failure and never the new credential, so the new record is removed where possible.
    await records.remove(newKey).catch(() => {})
    throw error
  }
}
