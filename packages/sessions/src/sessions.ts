import { requireOptions } from '@latchkey/options'
import {
  createCredential,
  describeFailure,
  type FactorProof,
  parseCredential,
  type RecordStore,
  StoreError,
} from '@latchkey/store'
import { toMilliseconds } from './check-duration.ts'
import { boundDevice, type Device } from './device.ts'
import { type ListedSession, listSessions } from './listed-session.ts'
import { familyKind } from './refresh-family.ts'
import { hashSecret } from './secret-hash.ts'
import { readSessionValue, type Session, type SessionValue, sessionKind, toSession } from './session.ts'
import { createSessionReader } from './session-reader.ts'
import { createSessionTouch } from './session-touch.ts'
import { type SessionsEvent, tell } from './sessions-event.ts'

export interface SessionsOptions {
  /** Where sessions and refresh families are kept. */
  readonly records: RecordStore
  /** The clock, epoch milliseconds; `Date.now` unless told. */
  readonly now?: () => number
  /** The overall limit, which use does not move: 28800 (8 h) unless told. */
  readonly ttlSeconds?: number
  /** How long a session lives without use: 3600 unless told. At most `ttlSeconds`. */
  readonly idleSeconds?: number
  /** Use is written down at most this often: 60 unless told. Less than `idleSeconds`. */
  readonly touchIntervalSeconds?: number
  /** Hears what happened. What it throws is ignored. */
  readonly onEvent?: (event: SessionsEvent) => void
}

export interface SessionInput {
  /** Whose it is: the account's id. */
  readonly subject: string
  /** The account's epoch at sign-in; 0 unless told. */
  readonly epoch?: number
  /** What was proven, and when. */
  readonly factors: readonly FactorProof[]
  readonly device?: Device
  /** `false`: its cookie should end with the browser. `true` unless told. */
  readonly persistent?: boolean
  /** The session that the same browser had until now: it ends as the new one begins. */
  readonly replaces?: Session | null
}

/** A new session with its credential, which can be read this once. */
export interface IssuedSession {
  readonly credential: string
  readonly session: Session
}

/** Sessions on the server: the browser holds an opaque credential, the store a digest of it. */
export interface Sessions {
  /**
   * Opens a session, always under a new key. With `replaces` it is sign-in, step-up and change of privilege in one:
   * the new record is stored, then the old one removed.
   *
   * Gives `null` when the old one was revoked in between: then the new one is gone too, so that a revocation cannot be
   * outrun. An old one that has merely expired refuses nothing.
   */
  create(input: SessionInput): Promise<IssuedSession | null>
  /** Gives the session whose credential this is, or `null`. Its use is written down later, never in the caller's time. */
  read(credential: string | null): Promise<Session | null>
  /** As `read`, but it is no use: for looks at a session that nobody asked for, or it would never be idle. */
  peek(credential: string | null): Promise<Session | null>
  /**
   * Gives a session of the subject a new credential, keeping device and persistence: what `create` does with
   * `replaces`, for a caller who knows the key of an established identity. `null`: it is not there any more.
   */
  regenerate(
    subject: string,
    key: string,
    input: Pick<SessionInput, 'epoch' | 'factors'>,
  ): Promise<IssuedSession | null>
  /** Gives what the subject has open: sessions and families of refresh tokens, the last used first. */
  list(subject: string): Promise<readonly ListedSession[]>
  /** Ends one session or family of that subject, and of nobody else. `true` for exactly one caller. */
  revoke(subject: string, key: string): Promise<boolean>
  /**
   * Ends everything the subject owns in the store, one-time links included, and gives the count of the sessions and
   * families among it. Raise the account's epoch first, then nothing that was opened before comes back.
   */
  revokeAll(subject: string, options?: { readonly except?: string }): Promise<number>
  /** Resolves when no use is being written down, for shutdown and tests. */
  settled(): Promise<void>
}

/**
 * Gives sessions over a record store, with an idle and an overall limit that the server keeps. Nothing of a request is
 * saved into them, so no late request brings a revoked one back.
 *
 * @throws TypeError when an option cannot be used.
 *
 * @example
 * import { createSessions } from '@latchkey/sessions'
 * import { createMemoryRecordStore } from '@latchkey/store'
 * const sessions = createSessions({ records: createMemoryRecordStore() })
 * const issued = await sessions.create({ subject: 'acc_1', factors: [{ kind: 'password', at: Date.now() }] })
 * const session = await sessions.read(issued?.credential ?? null) // what the cookie holds
 */
export function createSessions(options: SessionsOptions): Sessions {
  const { records, now = Date.now, onEvent } = requireOptions('createSessions', options, ['records'])
  if (typeof records?.insert !== 'function') throw new TypeError('"records" must be a record store')
  const { ttlMs, idleMs, intervalMs } = checkLimits(options)
  const readValue = createSessionReader()
  const touch = createSessionTouch({
    records,
    intervalMs,
    now,
    onFailure: ({ key, owner }, error) =>
      tell(onEvent, { type: 'session-touch-failed', at: now(), key, subject: owner, failure: describeFailure(error) }),
  })

  async function store({
    subject,
    epoch = 0,
    factors,
    device,
    persistent = true,
  }: SessionInput): Promise<IssuedSession> {
    if (!subject) throw new TypeError('"subject" must not be empty')
    if (!Array.isArray(factors)) throw new TypeError('"factors" must be a list of what was proven: [{ kind, at }]')
    const createdAt = now()
    const { key, secret, text } = createCredential(sessionKind)
    const value: SessionValue = {
      secretHash: hashSecret(secret),
      epoch,
      factors,
      device: boundDevice(device),
      persistent,
      createdAt,
      endsAt: createdAt + ttlMs,
      idleMs,
    }
    const record = { key, owner: subject, expiresAt: createdAt + idleMs, value: JSON.stringify(value) }
    if (!(await records.insert(record))) throw new StoreError('STORE_UNAVAILABLE', 'the store refused a fresh key')
    return { credential: text, session: toSession(record, value) }
  }

  /** Whether the old session is out of the way. What is not there any more and had not expired was revoked. */
  async function retire(old: Session): Promise<boolean> {
    return (await records.remove(old.key)) || old.expiresAt <= now()
  }

  async function create(input: SessionInput): Promise<IssuedSession | null> {
    const { replaces = null } = input
    const issued = await store(input)
    const { key, subject } = issued.session
    const goesOn = replaces === null || (await retire(replaces).catch((error) => giveUp(records, key, error)))
    if (!goesOn) {
      await records.remove(key)
      tell(onEvent, { type: 'session-replacement-refused', at: now(), key, subject })
      return null
    }
    tell(onEvent, { type: 'session-created', at: now(), key, subject, replaced: replaces?.key ?? null })
    return issued
  }

  async function peek(credential: string | null): Promise<Session | null> {
    const shown = parseCredential(sessionKind, credential)
    const record = shown && (await records.get(shown.key))
    const value = record && readValue(record, shown.secret, now())
    return value ? toSession(record, value) : null
  }

  async function read(credential: string | null): Promise<Session | null> {
    const shown = parseCredential(sessionKind, credential)
    const record = shown && (await records.get(shown.key))
    const time = now()
    const value = record && readValue(record, shown.secret, time)
    if (!value) return null
    const session = toSession(record, value)
    if (time - session.lastUsedAt < intervalMs) return session
    const expiresAt = time + value.idleMs
    touch.start({ key: session.key, owner: session.subject }, expiresAt)
    return toSession({ ...record, expiresAt }, value)
  }

  return {
    create,
    read,
    peek,
    async regenerate(subject, key, input) {
      const record = await records.get(key)
      const value = record?.owner === subject && readSessionValue(record, now())
      if (!value) return null
      const { device, persistent } = value
      return create({ ...input, subject, device, persistent, replaces: toSession(record, value) })
    },
    list: (subject) => listSessions(records, subject, now()),
    async revoke(subject, key) {
      const isOurs = key.startsWith(`${sessionKind}_`) || key.startsWith(`${familyKind}_`)
      const record = isOurs ? await records.get(key) : null
      if (record?.owner !== subject || !(await records.remove(key))) return false
      tell(onEvent, { type: 'revoked', at: now(), key, subject })
      return true
    },
    async revokeAll(subject, { except } = {}) {
      const open = (await listSessions(records, subject, now())).filter(({ key }) => key !== except).length
      const within = except === undefined ? {} : { except }
      // A replacement that was being stored during the first call has been stored before the second one begins.
      const removed = (await records.removeByOwner(subject, within)) + (await records.removeByOwner(subject, within))
      const count = Math.min(open, removed)
      tell(onEvent, { type: 'all-revoked', at: now(), subject, count })
      return count
    },
    settled: touch.settled,
  }
}

function checkLimits({ ttlSeconds = 28_800, idleSeconds = 3600, touchIntervalSeconds = 60 }: SessionsOptions): {
  readonly ttlMs: number
  readonly idleMs: number
  readonly intervalMs: number
} {
  const ttlMs = toMilliseconds('ttlSeconds', ttlSeconds)
  const idleMs = toMilliseconds('idleSeconds', idleSeconds)
  const intervalMs = toMilliseconds('touchIntervalSeconds', touchIntervalSeconds, { min: 0 })
  if (idleMs > ttlMs) throw new TypeError('"idleSeconds" must not be greater than "ttlSeconds"')
  if (intervalMs >= idleMs) throw new TypeError('"touchIntervalSeconds" must be less than "idleSeconds"')
  return { ttlMs, idleMs, intervalMs }
}

/** Nobody will ever hold the new credential: its record goes if it can, and the failure itself is what is reported. */
async function giveUp(records: RecordStore, key: string, error: unknown): Promise<never> {
  await records.remove(key).catch(() => false)
  throw error
}
