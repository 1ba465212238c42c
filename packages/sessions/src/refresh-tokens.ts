import { deriveSecrets, encodeBase64url, randomBytes, type SecretKeys } from '@latchkey/bytes'
import { requireOptions } from '@latchkey/options'
import { type FactorProof, type RecordStore, type StoredRecord, StoreError } from '@latchkey/store'
import { toMilliseconds } from './check-duration.ts'
import { boundDevice, type Device } from './device.ts'
import { type FamilyValue, familyKind, type RefreshFamily, readFamilyValue, toFamily } from './refresh-family.ts'
import { belongs, judge, type RefreshAsked } from './refresh-judgement.ts'
import {
  createRefreshSecret,
  deriveSuccessor,
  formatRefreshToken,
  parseRefreshToken,
  type RefreshSecret,
} from './refresh-secret.ts'
import { hashSecret } from './secret-hash.ts'
import { type SessionsEvent, tell } from './sessions-event.ts'

export interface RefreshTokensOptions {
  /** Where families are kept; its consistency must be `strong`. */
  readonly records: RecordStore
  /** The first secret derives successors; every one can repeat those that it made. */
  readonly secrets: SecretKeys
  /** The clock, epoch milliseconds; `Date.now` unless told. */
  readonly now?: () => number
  /** How long a token may wait for its use: 2592000 (30 days) unless told. */
  readonly ttlSeconds?: number
  /** How long a family lasts, however often it is used: 7776000 (90 days) unless told. */
  readonly familyTtlSeconds?: number
  /** How long the token before the newest gets the same successor again: 10 unless told, at most 60; 0: never. */
  readonly graceSeconds?: number
  /** Hears what happened. What it throws is ignored. */
  readonly onEvent?: (event: SessionsEvent) => void
}

/** Why a token was refused; only `reused` has changed anything. */
export type RefreshRefusal =
  /** No token of a living family: malformed, guessed, expired or revoked. */
  | 'unknown'
  /** The newest token, shown by another client than it was given to (RFC 6749 §6). */
  | 'client'
  /** The newest token, shown on another channel than it was given on. */
  | 'channel'
  /** An old token: somebody has a copy, so the family is gone (RFC 9700 §4.14.2). */
  | 'reused'

/** `replayed`: the successor was given before, to the same client within the grace window. */
export type RefreshVerdict =
  | { readonly ok: true; readonly token: string; readonly family: RefreshFamily; readonly replayed: boolean }
  | { readonly ok: false; readonly reason: RefreshRefusal }

export interface RefreshInput {
  readonly subject: string
  /** The account's epoch at sign-in; 0 unless told. */
  readonly epoch?: number
  readonly clientId: string
  /** How the tokens will travel: `cookie` unless told. */
  readonly channel?: string
  readonly factors: readonly FactorProof[]
  readonly device?: Device
}

/** Refresh tokens that work once each. */
export interface RefreshTokens {
  /** Begins a family and gives its first token, which can be read this once. */
  issue(input: RefreshInput): Promise<{ readonly token: string; readonly family: RefreshFamily }>
  /**
   * Takes a token in exchange for its successor. Under any concurrency there is one successor; a repetition within the
   * grace window gets that same one, and any later one ends the family.
   *
   * The account may have changed: compare `family.epoch` with the account's before anything is given out.
   *
   * @param asked who shows it: the client, and the channel (`cookie` unless told).
   * @throws StoreError `STORE_UNAVAILABLE` when the record kept changing under it: the token still counts.
   */
  redeem(token: string | null, asked: { readonly clientId: string; readonly channel?: string }): Promise<RefreshVerdict>
  /** Gives a living family by its key, the `sid` of an access token, or `null`. A key proves nothing about its bearer. */
  read(key: string): Promise<RefreshFamily | null>
  /**
   * Gives the family of its newest token or of the one before, without using it up: to end it at sign-out. For
   * anything that lets somebody in, `redeem` it.
   */
  identify(token: string | null): Promise<RefreshFamily | null>
  /** Carries a family into a new epoch of its account, when its own holder changed the password. `false`: it is gone. */
  renew(family: RefreshFamily, input: { readonly epoch: number }): Promise<boolean>
  /** Ends a family; `true` for exactly one caller. */
  revoke(key: string): Promise<boolean>
}

const readsAgain = 3

/**
 * Gives refresh tokens over a record store: rotated at each use, with reuse detection (RFC 9700 §4.14.2) and a grace
 * window in which a lost answer can be asked for again. The store holds digests only.
 *
 * @throws TypeError when an option cannot be used; an eventually consistent store would give two successors.
 *
 * @example
 * import { randomBytes } from '@latchkey/bytes'
 * import { createRefreshTokens } from '@latchkey/sessions'
 * import { createMemoryRecordStore } from '@latchkey/store'
 * const secrets = [{ id: '2026-01', bytes: randomBytes(32) }] as const
 * const refreshTokens = createRefreshTokens({ records: createMemoryRecordStore(), secrets })
 * const { token } = await refreshTokens.issue({ subject: 'acc_1', clientId: 'web', factors: [] })
 * const verdict = await refreshTokens.redeem(token, { clientId: 'web' }) // { ok: true, token, family }
 */
export function createRefreshTokens(options: RefreshTokensOptions): RefreshTokens {
  const { records, now = Date.now, onEvent } = requireOptions('createRefreshTokens', options, ['records', 'secrets'])
  const { ttlMs, familyMs, graceMs, secrets } = checkOptions(options)

  async function find(key: string): Promise<{ record: StoredRecord; value: FamilyValue } | null> {
    const record = key.startsWith(`${familyKind}_`) ? await records.get(key) : null
    const value = record && readFamilyValue(record, now())
    return value && { record, value }
  }

  /** The newest token's turn: `null` when somebody else's change came first. */
  async function rotate(
    shown: RefreshSecret,
    record: StoredRecord,
    value: FamilyValue,
  ): Promise<RefreshVerdict | null> {
    const time = now()
    const salt = encodeBase64url(randomBytes(32))
    const generation = value.generation + 1
    const successor = deriveSuccessor(shown, { serverKey: secrets[0], next: generation, salt })
    const next: FamilyValue = {
      ...value,
      secretHash: hashSecret(successor.secret),
      generation,
      previous: { secretHash: value.secretHash, salt, keyId: secrets[0].id, rotatedAt: time },
      lastUsedAt: time,
    }
    const expiresAt = Math.min(time + ttlMs, value.endsAt)
    if (!(await records.replace(record, { value: JSON.stringify(next), expiresAt }))) return null
    return answer(successor, toFamily({ ...record, expiresAt }, next), false)
  }

  function answer(successor: RefreshSecret, family: RefreshFamily, replayed: boolean): RefreshVerdict {
    const { key, subject, clientId } = family
    tell(onEvent, { type: 'family-refreshed', at: now(), key, subject, clientId, replayed })
    return { ok: true, token: formatRefreshToken(successor), family, replayed }
  }

  async function endReused({ key, subject, clientId }: RefreshFamily): Promise<RefreshVerdict> {
    if (await records.remove(key)) tell(onEvent, { type: 'family-reused', at: now(), key, subject, clientId })
    return { ok: false, reason: 'reused' }
  }

  async function redeemOnce(shown: RefreshSecret, asked: RefreshAsked): Promise<RefreshVerdict | null> {
    const found = await find(shown.key)
    if (!found) return { ok: false, reason: 'unknown' }
    const { record, value } = found
    const judgement = judge(shown, value, asked, { secrets, graceMs, now: now() })
    if (judgement.step === 'refuse') return { ok: false, reason: judgement.reason }
    if (judgement.step === 'rotate') return rotate(shown, record, value)
    const family = toFamily(record, value)
    return judgement.step === 'replay' ? answer(judgement.successor, family, true) : endReused(family)
  }

  /** One swap on the newest state; a change that came first is looked at again, up to three times. */
  async function persist<T>(attempt: () => Promise<T | null>): Promise<T> {
    for (let read = 0; read <= readsAgain; read++) {
      const outcome = await attempt()
      if (outcome !== null) return outcome
    }
    throw new StoreError('STORE_UNAVAILABLE', 'the refresh family kept changing while it was read')
  }

  return {
    async issue({ subject, epoch = 0, clientId, channel = 'cookie', factors, device }) {
      if (!subject) throw new TypeError('"subject" must not be empty')
      const createdAt = now()
      const first = createRefreshSecret()
      const value: FamilyValue = {
        lineageHash: hashSecret(first.lineage),
        secretHash: hashSecret(first.secret),
        generation: 1,
        previous: null,
        epoch,
        clientId,
        channel,
        factors,
        device: boundDevice(device),
        createdAt,
        lastUsedAt: createdAt,
        endsAt: createdAt + familyMs,
      }
      const expiresAt = Math.min(createdAt + ttlMs, value.endsAt)
      const record = { key: first.key, owner: subject, expiresAt, value: JSON.stringify(value) }
      if (!(await records.insert(record))) throw new StoreError('STORE_UNAVAILABLE', 'the store refused a fresh key')
      tell(onEvent, { type: 'family-issued', at: createdAt, key: first.key, subject, clientId })
      return { token: formatRefreshToken(first), family: toFamily(record, value) }
    },
    async redeem(token, { clientId, channel = 'cookie' }) {
      const shown = parseRefreshToken(token)
      if (!shown) return { ok: false, reason: 'unknown' }
      return persist(() => redeemOnce(shown, { clientId, channel }))
    },
    async read(key) {
      const found = await find(key)
      return found && toFamily(found.record, found.value)
    },
    async identify(token) {
      const shown = parseRefreshToken(token)
      const found = shown && (await find(shown.key))
      return found && belongs(shown, found.value) ? toFamily(found.record, found.value) : null
    },
    renew: ({ key, subject }, { epoch }) =>
      persist(async () => {
        const found = await find(key)
        if (!found || found.value.epoch > epoch) return false
        const { record, value } = found
        const next = { value: JSON.stringify({ ...value, epoch }), expiresAt: record.expiresAt }
        if (!(await records.replace(record, next))) return null
        tell(onEvent, { type: 'family-renewed', at: now(), key, subject, epoch })
        return true
      }),
    async revoke(key) {
      const isFamily = key.startsWith(`${familyKind}_`)
      if (!isFamily || !(await records.remove(key))) return false
      tell(onEvent, { type: 'revoked', at: now(), key, subject: null })
      return true
    },
  }
}

function checkOptions({
  records,
  secrets,
  ttlSeconds = 2_592_000,
  familyTtlSeconds = 7_776_000,
  graceSeconds = 10,
}: RefreshTokensOptions): { ttlMs: number; familyMs: number; graceMs: number; secrets: SecretKeys } {
  if (typeof records?.insert !== 'function') throw new TypeError('"records" must be a record store')
  if (records.capabilities.consistency !== 'strong') {
    throw new TypeError('"records" must be strongly consistent: a token has exactly one successor')
  }
  return {
    ttlMs: toMilliseconds('ttlSeconds', ttlSeconds),
    familyMs: toMilliseconds('familyTtlSeconds', familyTtlSeconds),
    graceMs: toMilliseconds('graceSeconds', graceSeconds, { min: 0, max: 60 }),
    secrets: deriveSecrets(secrets, 'refresh-successor'),
  }
}
