import { randomBytes, type SecretKeys } from '@latchkey/bytes'
import { checkOptionNames, wallClock } from '@latchkey/core/internal'
import type { DocumentStore } from '@latchkey/store'
import {
  createCollection,
  defineStoredShape,
  isStoredCount,
  isStoredText,
  storedVersion as newestVersion,
  storedList,
  storedOrNull,
} from '@latchkey/store/internal'
import { checkAccountId } from './check-account-id.ts'
import { createRecoveryCodeMacs } from './recovery-code-macs.ts'
import { recoveryCodeLength, writeRecoveryCode } from './recovery-code-text.ts'
import type { RecoveryCodes } from './recovery-codes.ts'
import { type RecoveryCodeSet, recoveryCodeKind, verifyRecoveryCode } from './verify-recovery-code.ts'

export interface RecoveryCodesOptions {
  /** Keeps the digests of the codes. */
  readonly documents: DocumentStore
  /** Digest the codes at rest: the first secret digests new codes, all of them verify. */
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

const optionNames = { documents: true, secrets: true, now: true, count: true, storedVersion: true } as const

/**
 * Creates the factor for recovery codes: 80 random bits each, of which a store has only an HMAC.
 *
 * @throws TypeError naming the option that is unknown, missing or not valid.
 *
 * @example
 * import { randomBytes } from '@latchkey/bytes'
 * import { createMemoryDocumentStore } from '@latchkey/store'
 * import { createRecoveryCodes } from '@latchkey/totp'
 * const secrets = [{ id: '2026-01', bytes: randomBytes(32) }] as const
 * const recoveryCodes = createRecoveryCodes({ documents: createMemoryDocumentStore(), secrets })
 * const [code = ''] = await recoveryCodes.generate('acc_1')
 * await recoveryCodes.verify('acc_1', code) // { ok: true, proof: …, remaining: 9 }
 * await recoveryCodes.verify('acc_1', code) // { ok: false, reason: 'used' }
 */
export function createRecoveryCodes(options: RecoveryCodesOptions): RecoveryCodes {
  const { documents, secrets } = checkOptionNames('createRecoveryCodes', options, optionNames)
  const { now = wallClock, count = 10, storedVersion = () => newestVersion } = options
  if (!Number.isInteger(count) || count < 1 || count > 50) throw new TypeError('"count" must be 1 to 50')
  const macs = createRecoveryCodeMacs(secrets)
  const sets = createCollection({ documents, name: 'factor-recovery-code', shape, storedVersion })
  return {
    async generate(accountId) {
      checkAccountId(accountId)
      const codes = Array.from({ length: count }, () => randomBytes(recoveryCodeLength))
      const unused = codes.map((code) => macs.macOf(macs.keyId, accountId, code))
      const set = { keyId: macs.keyId, unused, used: [], createdAt: now(), lastUsedAt: null }
      await sets.put(accountId, accountId, () => set)
      return codes.map(writeRecoveryCode)
    },
    verify: async (accountId, code) => verifyRecoveryCode({ sets, macs, now }, checkAccountId(accountId), code),
    async find(accountId, { readDocument } = {}) {
      const set = await sets.get(checkAccountId(accountId), readDocument)
      if (!set) return null
      const { createdAt, lastUsedAt, unused } = set.value
      return { kind: recoveryCodeKind, createdAt, lastUsedAt, remaining: unused.length }
    },
    remove: async (accountId) => sets.remove(checkAccountId(accountId)),
  }
}
