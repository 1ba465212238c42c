import { decodeBase64url, encodeBase64url, equalBytes, sha256 } from '@latchkey/bytes'
import { checkOptionNames } from '@latchkey/core/internal'
import { checkStores } from '../check-stores.ts'
import { createCredential, parseCredential } from '../credential.ts'
import { StoreError } from '../errors.ts'
import type { RecordStore, StoredRecord } from '../record-store.ts'

/** Links and codes that work once: a password reset, the confirmation of an address, an authorization code. */
export interface OneTimeCredentials {
  /**
   * Creates a credential, which cannot be read again.
   *
   * @param input `owner`: the account it belongs to, so that `removeByOwner` revokes it too; `value`: the result of
   * `consume`. The value is stored unchanged: put no secrets in it.
   */
  create(input: {
    readonly owner: string | null
    readonly value: string
  }): Promise<{ readonly credential: string; readonly expiresAt: number }>
  /**
   * Returns owner and value of a valid credential and leaves it valid, to check the rest of a request before `consume`.
   * Grant no access on this result: only `consume` has a single winner.
   */
  read(credential: string | null): Promise<{ readonly owner: string | null; readonly value: string } | null>
  /**
   * Returns owner and value to exactly one caller under any concurrency, and `null` to all others. A wrong secret has
   * no effect, so the key alone is not enough to use a credential up.
   */
  consume(credential: string | null): ReturnType<OneTimeCredentials['read']>
}

/** The owner and the value of a credential. */
export type OneTimeValue = Parameters<OneTimeCredentials['create']>[0]

const digestCharacters = 43

/**
 * Creates one-time links and codes over a record store. The store holds SHA-256 of the secret, never the secret.
 *
 * @throws TypeError when an option is unknown or not valid; an eventually consistent store would allow two winners.
 *
 * @example
 * import { createMemoryRecordStore, createOneTimeCredentials } from '@latchkey/store'
 * const resets = createOneTimeCredentials({ records: createMemoryRecordStore(), kind: 'reset', ttlSeconds: 1800 })
 * const { credential } = await resets.create({ owner: 'acc_1', value: '' })
 * await resets.consume(credential) // { owner: 'acc_1', value: '' }
 * await resets.consume(credential) // null
 */
export function createOneTimeCredentials(options: {
  /** The store of the credentials; its consistency must be `strong`. */
  readonly records: RecordStore
  /**
   * The purpose of the credentials: 1 to 8 lower-case letters, for example `reset`. A credential of another kind is not
   * accepted.
   */
  readonly kind: string
  readonly ttlSeconds: number
  /**
   * The clock, in epoch milliseconds.
   * @default the clock of `records`
   */
  readonly now?: () => number
}): OneTimeCredentials {
  checkOptionNames('createOneTimeCredentials', options, { records: true, kind: true, ttlSeconds: true, now: true })
  const { records, kind, ttlSeconds } = options
  if (!/^[a-z]{1,8}$/.test(kind)) throw new TypeError('"kind" must be 1 to 8 lower-case letters')
  if (!(ttlSeconds > 0 && Number.isFinite(ttlSeconds))) throw new TypeError('"ttlSeconds" must be a positive number')
  checkStores({ records })
  if (records.capabilities.consistency !== 'strong') {
    throw new TypeError('"records" must be strongly consistent: single use needs exactly one winner')
  }
  const { now = () => records.now() } = options
  /** Returns the record of a credential whose secret matches. */
  async function find(credential: string | null): Promise<StoredRecord | null> {
    const presented = parseCredential(kind, credential)
    const record = presented && (await records.get(presented.key))
    if (!record || record.expiresAt <= now()) return null
    const digest = decodeBase64url(record.value.slice(0, digestCharacters))
    return digest && equalBytes(digest, sha256(presented.secret)) ? record : null
  }
  return {
    async create({ owner, value }) {
      const { key, secret, text } = createCredential(kind)
      const expiresAt = now() + Math.ceil(ttlSeconds * 1000)
      const stored = await records.insert({ key, owner, expiresAt, value: encodeBase64url(sha256(secret)) + value })
      // 128 random bits do not collide, so a store that reports a collision does not work.
      if (!stored) throw new StoreError('STORE_UNAVAILABLE', 'the store refused a key that was never used')
      return { credential: text, expiresAt }
    },
    async read(credential) {
      const record = await find(credential)
      return record && toValue(record)
    },
    async consume(credential) {
      const record = await find(credential)
      return record && (await records.remove(record.key)) ? toValue(record) : null
    },
  }
}

function toValue({ owner, value }: StoredRecord): OneTimeValue {
  return { owner, value: value.slice(digestCharacters) }
}
