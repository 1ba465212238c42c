import type { DocumentStore } from '@latchkey/store'
import { checkStores } from '@latchkey/store/internal'
import { createRequiredFactor, type RequiredFactor, type RequiredFactorParts } from '../factors/required-factor.ts'
import type { PasskeysFactor, RecoveryCodesFactor, TotpFactor } from '../factors/second-factors.ts'
import type { AccountsOptions } from './accounts-options.ts'
import { readPart } from './read-part.ts'
import { readSecondFactorPolicy } from './read-second-factor-policy.ts'

/** The second factors that are offered; `null`: not this one. */
export interface FactorParts {
  readonly totp: TotpFactor | null
  readonly passkeys: PasskeysFactor | null
  readonly recoveryCodes: RecoveryCodesFactor | null
  /** Where they are stored. */
  readonly documents: DocumentStore | null
  /** `null`: no account must have one. */
  readonly requiredFactor: RequiredFactor | null
}

/** @throws TypeError for a factor without what must come with it: an owner who loses it would be locked out. */
export function readFactorParts(
  options: AccountsOptions,
  clock: Pick<RequiredFactorParts, 'now' | 'storedVersion'>,
): FactorParts {
  const totp = readPart('totp', options.totp, 'verify') ?? null
  const passkeys = readPart('passkeys', options.passkeys, 'finishSignIn') ?? null
  const recoveryCodes = readPart('recoveryCodes', options.recoveryCodes, 'verify') ?? null
  const { documents = null } = options
  if (documents) checkStores({ documents })
  const isOffered = totp !== null || passkeys !== null
  if (isOffered && recoveryCodes === null) throw new TypeError('"recoveryCodes" is required with "totp" or "passkeys"')
  if (isOffered && documents === null) throw new TypeError('"documents" is required with "totp" or "passkeys"')
  const { secondFactor } = options
  if (secondFactor === undefined) return { totp, passkeys, recoveryCodes, documents, requiredFactor: null }
  if (!isOffered || documents === null) throw new TypeError('"secondFactor" needs "totp" or "passkeys"')
  const requiredFactor = createRequiredFactor({ ...readSecondFactorPolicy(secondFactor), documents, ...clock })
  return { totp, passkeys, recoveryCodes, documents, requiredFactor }
}
