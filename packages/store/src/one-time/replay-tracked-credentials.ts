import { decodeBase64url, encodeBase64url, equalBytes, sha256 } from '@latchkey/bytes'
import { checkOptionNames } from '@latchkey/core/internal'
import { checkStores } from '../check-stores.ts'
import { createCredential, parseCredential } from '../credential.ts'
import { StoreError } from '../errors.ts'
import type { StoredRecord } from '../record-store.ts'
import { isStoredFlag, isStoredText, storedObject, storedOrNull } from '../values/stored-checks.ts'
import { defineStoredShape, storedVersion as newestVersion, type Stored } from '../values/stored-shape.ts'
import type { createOneTimeCredentials, OneTimeValue } from './one-time-credentials.ts'

export type TracedCredentialsOptions = Parameters<typeof createOneTimeCredentials>[0] & {
  /**
   * The time for which a used credential is remembered, so that presenting it again revokes its results.
   * @default 600
   */
  readonly traceSeconds?: number
  /** The version of stored values to write. @default the newest */
  readonly storedVersion?: () => number
}

/** The verdict on a credential that leaves a trace. */
export type TracedVerdict =
  /** For exactly one caller. Send no response before `confirm`. */
  | ({ readonly ok: true } & OneTimeValue)
  /** Not a credential of this kind: malformed, guessed, expired, or used so long ago that its trace is gone. */
  | { readonly ok: false; readonly reason: 'unknown' }
  /** It was used before, so a copy of it exists: end what it `gave`, which is the same for every caller. */
  | { readonly ok: false; readonly reason: 'used'; readonly gave: string; readonly owner: string | null }

/** Credentials that work once and remember their results, for example authorization codes (RFC 6749 §4.1.2). */
export interface ReplayTrackedCredentials {
  /** Creates a credential, which cannot be read again. `value` is stored unchanged: put no secrets in it. */
  create(input: OneTimeValue): Promise<{ readonly credential: string; readonly expiresAt: number }>
  /**
   * Returns an unused credential and leaves it unused. Grant no access on this result, but on the result of its `use`.
   */
  read(credential: string | null): Promise<ReadCredential | null>
  /**
   * Uses a credential: `ok` for exactly one caller under any concurrency.
   *
   * @param gives the key of the record that the caller will store next, for example a refresh family.
   */
  use(credential: string | null, gives: string): Promise<TracedVerdict>
  /**
   * Returns whether the credential was shown only once until now: call it after what `use` named is stored, and before
   * anything goes out. `false`: remove what was stored and refuse. A caller that shows the credential later finds that stored.
   */
  confirm(credential: string): Promise<boolean>
}

/** An unused credential. Its `use` equals `use` of the credentials, and reads it again only if it has changed. */
export interface ReadCredential extends OneTimeValue {
  use(gives: string): Promise<TracedVerdict>
}

interface TracedValue {
  readonly secretHash: string
  readonly value: string
  readonly used: { readonly gave: string; readonly again: boolean } | null
}

const shape = defineStoredShape<TracedValue>({
  name: 'traced credential',
  members: {
    secretHash: isStoredText,
    value: isStoredText,
    used: storedOrNull(storedObject({ gave: isStoredText, again: isStoredFlag })),
  },
})

interface Found {
  readonly record: StoredRecord
  readonly value: Stored<TracedValue>
}

const retries = 3

/**
 * Creates one-time credentials over a record store that leave a trace once they are used: a second use, simultaneous or
 * later, revokes the results of the first. The store holds SHA-256 of the secret, never the secret.
 *
 * @throws TypeError if an option is unknown or not valid; an eventually consistent store would allow two winners.
 */
export function createReplayTrackedCredentials(options: TracedCredentialsOptions): ReplayTrackedCredentials {
  const { records, kind, ttlSeconds, traceSeconds, now, storedVersion } = readOptions(options)

  async function find(credential: string | null): Promise<Found | null> {
    const presented = parseCredential(kind, credential)
    const record = presented && (await records.get(presented.key))
    if (!record || record.expiresAt <= now()) return null
    const value = shape.parse(record.value)
    const digest = decodeBase64url(value.secretHash)
    return digest && equalBytes(digest, sha256(presented.secret)) ? { record, value } : null
  }

  function mark({ record, value }: Found, used: NonNullable<TracedValue['used']>): Promise<boolean> {
    const next = shape.format({ ...value, used }, storedVersion())
    return records.replace(record, { value: next, expiresAt: now() + traceSeconds * 1000 })
  }

  /** Returns `null` when another caller changed the record between the read and the swap. */
  async function attempt(found: Found | null, gives: string): Promise<TracedVerdict | null> {
    if (!found) return { ok: false, reason: 'unknown' }
    const { owner } = found.record
    const { used, value } = found.value
    if (used === null) return (await mark(found, { gave: gives, again: false })) ? { ok: true, owner, value } : null
    if (!used.again && !(await mark(found, { ...used, again: true }))) return null
    return { ok: false, reason: 'used', gave: used.gave, owner }
  }

  async function use(credential: string | null, first: Found | null, gives: string): Promise<TracedVerdict> {
    let found = first
    for (let made = 0; made <= retries; made++) {
      const verdict = await attempt(found, gives)
      if (verdict) return verdict
      found = await find(credential)
    }
    throw new StoreError('STORE_UNAVAILABLE', 'the record kept changing while it was read')
  }

  return {
    async create({ owner, value }) {
      const { key, secret, text } = createCredential(kind)
      const expiresAt = now() + Math.ceil(ttlSeconds * 1000)
      const stored = shape.format({ secretHash: encodeBase64url(sha256(secret)), value, used: null }, storedVersion())
      if (!(await records.insert({ key, owner, expiresAt, value: stored }))) {
        throw new StoreError('STORE_UNAVAILABLE', 'the store refused a key that was never used')
      }
      return { credential: text, expiresAt }
    },
    async read(credential) {
      const found = await find(credential)
      if (!found || found.value.used !== null) return null
      const { owner } = found.record
      return { owner, value: found.value.value, use: (gives) => use(credential, found, gives) }
    },
    async use(credential, gives) {
      return use(credential, await find(credential), gives)
    },
    async confirm(credential) {
      const found = await find(credential)
      return found?.value.used?.again === false
    },
  }
}

function readOptions(options: TracedCredentialsOptions) {
  const names = {
    records: true,
    kind: true,
    ttlSeconds: true,
    traceSeconds: true,
    now: true,
    storedVersion: true,
  } as const
  const {
    records,
    kind,
    ttlSeconds,
    traceSeconds = 600,
  } = checkOptionNames('createReplayTrackedCredentials', options, names)
  if (!/^[a-z]{1,8}$/.test(kind)) throw new TypeError('"kind" must be 1 to 8 lower-case letters')
  checkSeconds('ttlSeconds', ttlSeconds)
  checkSeconds('traceSeconds', traceSeconds)
  checkStores({ records })
  if (records.capabilities.consistency !== 'strong') {
    throw new TypeError('"records" must be strongly consistent: single use needs exactly one winner')
  }
  const { now = () => records.now(), storedVersion = () => newestVersion } = options
  return { records, kind, ttlSeconds, traceSeconds, now, storedVersion }
}

function checkSeconds(name: string, seconds: number): void {
  if (!(seconds > 0 && Number.isFinite(seconds))) throw new TypeError(`"${name}" must be a positive number`)
}
