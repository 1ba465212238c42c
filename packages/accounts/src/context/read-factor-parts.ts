import type { FactorStore } from '@latchkey/store'
import type { PasskeysFactor, RecoveryCodesFactor, TotpFactor } from '../factors/second-factors.ts'
import type { AccountsOptions } from './accounts-options.ts'
import { readPart } from './read-part.ts'

/** The second factors that are offered; `null`: not this one. */
export interface FactorParts {
  readonly totp: TotpFactor | null
  readonly passkeys: PasskeysFactor | null
  readonly recoveryCodes: RecoveryCodesFactor | null
  readonly factors: FactorStore | null
}

/** @throws TypeError for a factor without what must come with it: an owner who loses it would be locked out. */
export function readFactorParts(options: AccountsOptions): FactorParts {
  const totp = readPart('totp', options.totp, 'verify') ?? null
  const passkeys = readPart('passkeys', options.passkeys, 'finishSignIn') ?? null
  const recoveryCodes = readPart('recoveryCodes', options.recoveryCodes, 'verify') ?? null
  const factors = readPart('factors', options.factors, 'listByAccount') ?? null
  const isOffered = totp !== null || passkeys !== null
  if (isOffered && recoveryCodes === null) throw new TypeError('"recoveryCodes" is required with "totp" or "passkeys"')
  if (isOffered && factors === null) throw new TypeError('"factors" is required with "totp" or "passkeys"')
  return { totp, passkeys, recoveryCodes, factors }
}
