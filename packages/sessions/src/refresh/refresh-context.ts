import { deriveSecrets, type SecretKeys } from '@latchkey/bytes'
import { checkOptionNames, createEmitter, type Emit } from '@latchkey/core/internal'
import type { RecordStore } from '@latchkey/store'
import { checkStores, storedVersion as newestVersion } from '@latchkey/store/internal'
import type { SessionsEvent } from '../sessions-event.ts'
import { toMilliseconds } from '../to-milliseconds.ts'
import { createFamilyReader, type FamilyReader } from './family-reader.ts'

export interface RefreshTokensOptions {
  /** Where families are stored; its consistency must be `strong`. */
  readonly records: RecordStore
  /** The first secret derives successors; all of them can derive their own successors again. */
  readonly secrets: SecretKeys
  /**
   * The clock, in epoch milliseconds.
   * @default the clock of `records`
   */
  readonly now?: () => number
  /**
   * How long a token stays valid without use.
   * @default 2592000 (30 days)
   */
  readonly ttlSeconds?: number
  /**
   * How long a family lasts, however often it is used.
   * @default 7776000 (90 days)
   */
  readonly familyTtlSeconds?: number
  /**
   * How long the previous token is answered with the same successor again: 0 to 60; 0 for never.
   * @default 10
   */
  readonly graceSeconds?: number
  /**
   * How long the previous token with the `idempotencyKey` of its exchange is answered with the same successor again, until that
   * is used: 0 to 604800; 0 for never.
   * @default 86400 (1 day)
   */
  readonly retrySeconds?: number
  /**
   * Returns the version of stored values to write. A service that shares its store with processes of an older release
   * returns the one that they know, until all have this release.
   * @default `storedVersion` of `@latchkey/store`, the newest
   */
  readonly storedVersion?: () => number
  /**
   * Receives every event. Its errors are ignored.
   * @default prints failures with `console.error`
   */
  readonly onEvent?: (event: SessionsEvent) => void
}

/** The dependencies and options of every operation on refresh tokens. */
export interface RefreshContext {
  readonly records: RecordStore
  /** The version of stored values to write. */
  readonly writes: () => number
  /** Derived for this purpose: the first secret derives successors. */
  readonly secrets: SecretKeys
  readonly now: () => number
  readonly readValue: FamilyReader
  readonly ttlMs: number
  readonly familyMs: number
  readonly graceMs: number
  readonly retryMs: number
  readonly emit: Emit<SessionsEvent>
}

const optionNames = {
  records: true,
  secrets: true,
  now: true,
  ttlSeconds: true,
  familyTtlSeconds: true,
  graceSeconds: true,
  retrySeconds: true,
  storedVersion: true,
  onEvent: true,
} as const

/** @throws TypeError naming the option that is unknown or not valid. */
export function createRefreshContext(options: RefreshTokensOptions): RefreshContext {
  const { records, secrets } = checkOptionNames('createRefreshTokens', options, optionNames)
  const { ttlSeconds = 2_592_000, familyTtlSeconds = 7_776_000, graceSeconds = 10, retrySeconds = 86_400 } = options
  checkStores({ records })
  if (records.capabilities.consistency !== 'strong') {
    throw new TypeError('"records" must be strongly consistent: a token has exactly one successor')
  }
  const now = options.now ?? (() => records.now())
  return {
    records,
    writes: options.storedVersion ?? (() => newestVersion),
    ttlMs: toMilliseconds('ttlSeconds', ttlSeconds),
    familyMs: toMilliseconds('familyTtlSeconds', familyTtlSeconds),
    graceMs: toMilliseconds('graceSeconds', graceSeconds, { min: 0, max: 60 }),
    retryMs: toMilliseconds('retrySeconds', retrySeconds, { min: 0, max: 604_800 }),
    secrets: deriveSecrets(secrets, 'refresh-successor'),
    now,
    readValue: createFamilyReader(),
    emit: createEmitter<SessionsEvent>({ onEvent: options.onEvent, now }),
  }
}
