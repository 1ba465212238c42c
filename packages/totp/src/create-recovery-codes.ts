import { randomBytes, type SecretKeys } from '@latchkey/bytes'
import { checkOptionNames, wallClock } from '@latchkey/core/internal'
import {
  defineStoredShape,
  type FactorStore,
  isStoredCount,
  isStoredText,
  storedVersion as newestVersion,
  storedList,
  storedOrNull,
} from '@latchkey/store'
import type { EnrolledFactor } from './enrolled-factor.ts'
import { createRecoveryCodeMacs } from './recovery-code-macs.ts'
import { recoveryCodeLength, writeRecoveryCode } from './recovery-code-text.ts'
import { createStoredFactors } from './stored-factors.ts'
import {
  type RecoveryCodeSet,
  type RecoveryCodeVerdict,
  recoveryCodeKind,
  verifyRecoveryCode,
} from './verify-recovery-code.ts'

export interface RecoveryCodesOptions {
  readonly factors: FactorStore
  /** Digest the codes at rest: the first one digests new ones, each of them checks. */
  readonly secrets: SecretKeys
  /**
   * The clock, in epoch milliseconds.
   * @default Date.now
   */
  readonly now?: () => number
  /**
   * How many codes a set has: 1 to 50.
   * @default 10
   */
  readonly count?: number
  /**
   * Returns the version of stored values to write. A service that shares its store with processes of an older release
   * returns the one that they know, until all have this release.
   * @default `storedVersion` of `@latchkey/store`, the newest
   */
  readonly storedVersion?: () => number
}

/** The recovery codes of an account. */
export interface EnrolledRecoveryCodes extends EnrolledFactor {
  readonly kind: 'recovery-code'
  /** How many of them were not used. */
  readonly remaining: number
}

/** Codes on paper for who has lost the app. Whatever the store throws passes through. */
export interface RecoveryCodes {
  /** Returns a new set, once, as `7k2m-9q4x-0c3v-tn5d`. It replaces the one before. */
  generate(accountId: string): Promise<readonly string[]>
  /** Returns whether a code is right, in any case and with any spaces and dashes. Each is accepted once, by exactly one call. */
  verify(accountId: string, code: string): Promise<RecoveryCodeVerdict>
  /** Returns how many codes remain, or `null` when the account has no set. */
  find(accountId: string): Promise<EnrolledRecoveryCodes | null>
  /** Removes the set: true for exactly one caller, false when there is none. */
  remove(accountId: string): Promise<boolean>
}

const shape = defineStoredShape<RecoveryCodeSet>({
  name: 'set of recovery codes',
  members: {
    keyId: isStoredText,
    unused: storedList(isStoredText),
    used: storedList(isStoredText),
    createdAt: isStoredCount,
    lastUsedAt: storedOrNull(isStoredCount),
  },
})

const optionNames = { factors: true, secrets: true, now: true, count: true, storedVersion: true } as const

/**
 * Creates the factor for recovery codes: 80 random bits each, of which a store has only an HMAC.
 *
 * @throws TypeError naming the option that is unknown, missing or not valid.
 *
 * @example
 * import { randomBytes } from '@latchkey/bytes'
 * import { createMemoryFactorStore } from '@latchkey/store'
 * import { createRecoveryCodes } from '@latchkey/totp'
 * const secrets = [{ id: '2026-01', bytes: randomBytes(32) }] as const
 * const recoveryCodes = createRecoveryCodes({ factors: createMemoryFactorStore(), secrets })
 * const [code = ''] = await recoveryCodes.generate('acc_1')
 * await recoveryCodes.verify('acc_1', code) // { ok: true, proof: …, remaining: 9 }
 * await recoveryCodes.verify('acc_1', code) // { ok: false, reason: 'used' }
 */
export function createRecoveryCodes(options: RecoveryCodesOptions): RecoveryCodes {
  const { factors, secrets } = checkOptionNames('createRecoveryCodes', options, optionNames)
  if (typeof factors?.replace !== 'function') throw new TypeError('"factors" must be a FactorStore')
  const { now = wallClock, count = 10, storedVersion: writes = () => newestVersion } = options
  if (!Number.isInteger(count) || count < 1 || count > 50) throw new TypeError('"count" must be 1 to 50')
  const macs = createRecoveryCodeMacs(secrets)
  const sets = createStoredFactors({ factors, kind: recoveryCodeKind, shape, writes })
  return {
    async generate(accountId) {
      const codes = Array.from({ length: count }, () => randomBytes(recoveryCodeLength))
      const unused = codes.map((code) => macs.macOf(macs.keyId, accountId, code))
      await sets.put(accountId, { keyId: macs.keyId, unused, used: [], createdAt: now(), lastUsedAt: null })
      return codes.map(writeRecoveryCode)
    },
    verify: (accountId, code) => verifyRecoveryCode({ sets, macs, now }, accountId, code),
    async find(accountId) {
      const set = await sets.read(accountId)
      if (!set) return null
      const { createdAt, lastUsedAt, unused } = set.value
      return { kind: recoveryCodeKind, createdAt, lastUsedAt, remaining: unused.length }
    },
    remove: async (accountId) => factors.remove(sets.idOf(accountId)),
  }
}
