import { checkOptionNames, wallClock } from '@latchkey/core/internal'
import { createExpiringKeys, type ExpiringKey, maxClockToleranceSeconds } from '../keys/expiring-keys.ts'
import { toAsyncFind } from '../keys/find-at-once.ts'
import { generateJwtKey } from '../keys/generate-jwt-key.ts'
import { type Jwks, type JwtKey, operationsOf } from '../keys/jwt-key.ts'
import type { KeySet } from '../keys/key-set.ts'
import { checkSeconds } from '../option-checks.ts'

/** The keys of an issuer: one signs, all verify. */
export interface KeyRing extends KeySet {
  /** For how long a retired key still verifies; no signer may create a token that lives longer. */
  readonly maxLifetimeSeconds: number
  /** Returns the current signing key. */
  signingKey(): Promise<JwtKey>
  /** Returns the public keys for publication, without symmetric ones. */
  jwks(): Promise<Jwks>
  /**
   * Replaces the signing key and returns the new one. The old one verifies until the last token that it signed has
   * expired.
   */
  rotate(): Promise<JwtKey>
}

/**
 * Creates a ring over given keys. `rotate` generates a key in the memory of this process, which signs before verifiers
 * elsewhere know it: for a ring whose keys are published, that several processes share, or that outlives them, use
 * `openKeyRing`.
 *
 * @throws TypeError when an option is unknown, or `keys` is empty, holds an id twice, or begins with a public key.
 *
 * @example
 * import { createKeyRing, generateJwtKey } from '@latchkey/jwt'
 * const keys = createKeyRing({ keys: [await generateJwtKey('ES256')] })
 * await keys.jwks() // { keys: [{ kty: 'EC', kid: '…', alg: 'ES256', use: 'sig', … }] }
 */
export function createKeyRing(options: {
  /** The first key signs, all of them verify. */
  readonly keys: readonly [JwtKey, ...JwtKey[]]
  /**
   * The longest lifetime of a token that these keys sign.
   * @default 900
   */
  readonly maxLifetimeSeconds?: number
  /**
   * The clock, in epoch milliseconds.
   * @default Date.now
   */
  readonly now?: () => number
}): KeyRing {
  checkOptionNames('createKeyRing', options, { keys: true, maxLifetimeSeconds: true, now: true })
  const { keys, maxLifetimeSeconds = 900, now = wallClock } = options
  checkKeys(keys)
  checkSeconds(maxLifetimeSeconds, 'maxLifetimeSeconds', 1)
  const retentionMs = (maxLifetimeSeconds + maxClockToleranceSeconds) * 1000
  let [signing] = keys
  let entries: readonly ExpiringKey[] = keys.map((key) => ({ key, until: Number.POSITIVE_INFINITY }))
  let usable = createExpiringKeys(entries, now)
  return {
    maxLifetimeSeconds,
    find: toAsyncFind((query) => usable().find(query)),
    signingKey: async () => signing,
    jwks: async () => publish(usable().keys),
    async rotate() {
      const next = await generateJwtKey(signing.algorithm)
      const until = now() + retentionMs
      const kept = entries.map((entry) => (entry.key === signing ? { key: signing, until } : entry))
      entries = [{ key: next, until: Number.POSITIVE_INFINITY }, ...kept.filter((entry) => entry.until > now())]
      usable = createExpiringKeys(entries, now)
      signing = next
      return next
    },
  }
}

/** Returns the public keys as a JWK Set. */
export function publish(keys: readonly JwtKey[]): Jwks {
  return { keys: keys.flatMap((key) => operationsOf(key).publicJwk ?? []) }
}

function checkKeys(keys: readonly JwtKey[]): void {
  if (!Array.isArray(keys) || keys.length === 0) throw new TypeError('"keys" must hold at least one key')
  for (const key of keys) operationsOf(key)
  if (!keys[0]?.canSign) throw new TypeError('"keys": the first key signs and must not be a public key')
  if (new Set(keys.map(({ id }) => id)).size < keys.length) throw new TypeError('"keys": an id stands twice')
}
