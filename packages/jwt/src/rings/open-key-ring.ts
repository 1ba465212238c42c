import type { SecretKeys } from '@latchkey/bytes'
import { checkOptionNames, wallClock } from '@latchkey/core/internal'
import type { DocumentStore } from '@latchkey/store'
import { checkStores, storedVersion as newestVersion } from '@latchkey/store/internal'
import { checkAlgorithm, type JwtAlgorithm } from '../algorithm.ts'
import { JwtError } from '../errors.ts'
import { maxClockToleranceSeconds } from '../keys/expiring-keys.ts'
import { toAsyncFind } from '../keys/find-at-once.ts'
import type { JwtKey } from '../keys/jwt-key.ts'
import type { KeySet } from '../keys/key-set.ts'
import { createReloadingKeys, type ReloadingKeys } from '../keys/reloading-keys.ts'
import { checkSeconds, checkText } from '../option-checks.ts'
import { createKeyIds, type KeyIds } from './key-ids.ts'
import { type KeyRing, publish } from './key-ring.ts'
import { createRingLoader, type RingKeys } from './ring-loader.ts'
import { createSealedKeys } from './sealed-keys.ts'
import { publishAheadOf } from './signing-choice.ts'
import { openStoredKeys } from './stored-keys.ts'

/** The keys of an issuer in a store, which several processes share. */
export interface StoredKeyRing extends KeyRing {
  /**
   * Makes the next key the signing key and returns it. It was published before, so every verifier knows it; the old key
   * verifies until the last token that it signed has expired.
   *
   * @throws JwtError `JWT_ROTATION_TOO_EARLY` if the next key was published less than `publishAheadSeconds` ago: the
   * ring is then unchanged.
   */
  rotate(): Promise<JwtKey>
  /**
   * Returns the time from which `rotate` succeeds, in epoch milliseconds: in the past if the next key need not be
   * published.
   */
  nextSignsAt(): Promise<number>
  /**
   * Replaces all keys, after a key has leaked, and returns a new key, which signs at once. Every earlier token is
   * refused from now on: in this process at once, in other processes within `refreshSeconds`, and by verifiers
   * elsewhere when they fetch the set again. Until then those verifiers may refuse tokens of the new key.
   */
  replaceAll(): Promise<JwtKey>
}

const optionNames = {
  documents: true,
  secrets: true,
  algorithm: true,
  purpose: true,
  maxLifetimeSeconds: true,
  refreshSeconds: true,
  publishAheadSeconds: true,
  cooldownSeconds: true,
  now: true,
  storedVersion: true,
} as const

/**
 * Opens the key ring of a document store, where the keys are sealed, and generates missing keys. Any number of
 * processes may open it at the same time. The ring always has a signing key and a next key, which is published before
 * it signs, so every verifier knows it when a rotation makes it the signing key. A rotation is one atomic call of the
 * store; of several simultaneous rotations one takes effect. After a change of `algorithm` the earlier key pair signs
 * until the new key was published for the same time.
 *
 * @throws TypeError if an option is unknown, missing or out of range.
 * @throws JwtError `JWT_KEY_UNREADABLE`. Errors of the store pass through.
 * @example
 * import { randomBytes } from '@latchkey/bytes'
 * import { openKeyRing } from '@latchkey/jwt'
 * import { createMemoryDocumentStore } from '@latchkey/store'
 * const secrets = [{ id: '2026-01', bytes: randomBytes(32) }] as const
 * const documents = createMemoryDocumentStore()
 * const keys = await openKeyRing({ documents, secrets, algorithm: 'ES256' })
 * await keys.jwks() // what you publish
 */
export async function openKeyRing(options: {
  /** Keeps the sealed keys, in its collection `signing-key`. */
  readonly documents: DocumentStore
  /** Seal the private keys: the first secret seals, all of them open. */
  readonly secrets: SecretKeys
  /** The algorithm of new keys. Stored keys of another algorithm verify until the next rotation. */
  readonly algorithm: JwtAlgorithm
  /**
   * The kind of the tokens. Each kind has its own keys.
   * @default 'access-token'
   */
  readonly purpose?: string
  /**
   * The longest lifetime of a token that these keys sign.
   * @default 900
   */
  readonly maxLifetimeSeconds?: number
  /**
   * The longest time until every process knows a rotation or a removal by another process.
   * @default 60
   */
  readonly refreshSeconds?: number
  /**
   * How long a key is published before `rotate` lets it sign: at least the longest time for which a verifier elsewhere uses
   * a fetched set (`maxAgeSeconds` of `createRemoteKeySet`), its cool-down, the time for which caches on the way keep the
   * set, and `refreshSeconds`. Symmetric keys are not published, and sign without waiting.
   * @default 900
   */
  readonly publishAheadSeconds?: number
  /**
   * The shortest time between two lookups of the same retired id in the store. Invented ids cause none.
   * @default 10
   */
  readonly cooldownSeconds?: number
  /**
   * The clock, in epoch milliseconds.
   * @default Date.now
   */
  readonly now?: () => number
  /**
   * The version of stored values to write.
   * @default `storedVersion` of `@latchkey/store`, the newest
   */
  readonly storedVersion?: () => number
}): Promise<StoredKeyRing> {
  checkOptionNames('openKeyRing', options, optionNames)
  const settings = readOptions(options)
  const { documents, algorithm, purpose, secrets, maxLifetimeSeconds, refreshSeconds, cooldownSeconds, now } = settings
  const stored = openStoredKeys(documents, purpose, settings.storedVersion)
  const ids = createKeyIds({ secrets, purpose })
  const { load, replaceAll } = createRingLoader({
    stored,
    sealedKeys: createSealedKeys({ secrets, purpose }),
    createId: ids.create,
    algorithm,
    // A process that does not know of the rotation yet may sign until its next refresh.
    retentionMs: (maxLifetimeSeconds + refreshSeconds + maxClockToleranceSeconds) * 1000,
    publishAheadMs: publishAheadOf(algorithm, settings.publishAheadSeconds),
    now,
  })
  const keys = createReloadingKeys({ load, maxAgeMs: refreshSeconds * 1000, now })
  const findReloaded = createReloadingFind({ ids, keys, cooldownMs: cooldownSeconds * 1000, now })
  const findElsewhere: KeySet['find'] = async (query) =>
    (await keys.current()).usable().find(query) ?? findReloaded(query)
  await keys.current()
  return {
    maxLifetimeSeconds,
    find: toAsyncFind((query) => keys.kept()?.usable().find(query) ?? findElsewhere(query)),
    signingKey: async () => (await keys.current()).signing,
    jwks: async () => publish((await keys.current()).usable().keys),
    nextSignsAt: async () => (await keys.reload()).nextSignsAt,
    async rotate() {
      const { outgoing, finished, nextSignsAt } = await keys.reload()
      if (nextSignsAt > now()) throw tooEarly(nextSignsAt)
      for (const key of outgoing) await stored.retire(key, now())
      for (const key of finished) await stored.remove(key)
      return (await keys.reload()).signing
    },
    async replaceAll() {
      await replaceAll()
      return (await keys.reload()).signing
    },
  }
}

function tooEarly(nextSignsAt: number): JwtError {
  const message = `the next key may sign from ${new Date(nextSignsAt).toISOString()}, when verifiers elsewhere know it`
  return new JwtError('JWT_ROTATION_TOO_EARLY', message)
}

interface ReloadingFindOptions {
  readonly ids: KeyIds
  readonly keys: ReloadingKeys<RingKeys>
  readonly cooldownMs: number
  readonly now: () => number
}

/** Creates a `find` that reads the store again, for a key that another process has just generated. */
function createReloadingFind({ ids, keys, cooldownMs, now }: ReloadingFindOptions): KeySet['find'] {
  const missedAt = new Map<string, number>() // only ids with a valid tag are added
  return async (query) => {
    if (query.id === null || !ids.isOwn(query.id)) return null
    const at = missedAt.get(query.id)
    if (at !== undefined && Math.abs(now() - at) < cooldownMs) return null
    const key = (await keys.reload()).usable().find(query)
    if (!key) missedAt.set(query.id, now())
    return key
  }
}

type Settings = Required<Parameters<typeof openKeyRing>[0]>

/** @throws TypeError naming the option that is missing, unknown or out of range. */
function readOptions(options: Parameters<typeof openKeyRing>[0]): Settings {
  const { purpose = 'access-token', maxLifetimeSeconds = 900, publishAheadSeconds = 900, now = wallClock } = options
  const { documents, secrets, algorithm, refreshSeconds = 60, cooldownSeconds = 10 } = options
  const { storedVersion = () => newestVersion } = options
  checkStores({ documents })
  checkAlgorithm(algorithm)
  checkText(purpose, 'purpose')
  checkSeconds(maxLifetimeSeconds, 'maxLifetimeSeconds', 1)
  checkSeconds(refreshSeconds, 'refreshSeconds', 1)
  checkSeconds(publishAheadSeconds, 'publishAheadSeconds', 1)
  checkSeconds(cooldownSeconds, 'cooldownSeconds', 0)
  if (algorithm !== 'HS256' && publishAheadSeconds < refreshSeconds) {
    throw new TypeError(
      '"publishAheadSeconds" must not be less than "refreshSeconds": other processes publish that late',
    )
  }
  const given = { documents, secrets, algorithm, purpose, maxLifetimeSeconds }
  return { ...given, refreshSeconds, publishAheadSeconds, cooldownSeconds, now, storedVersion }
}
