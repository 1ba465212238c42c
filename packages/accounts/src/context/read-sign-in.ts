import { checkOptionNames } from '@latchkey/core/internal'
import type { CounterStore, DocumentStore, RecordStore } from '@latchkey/store'
import { allowNativeDelivery } from '../delivery.ts'
import type { KnownDevices } from '../devices/known-devices.ts'
import { createTrustedDevices, type TrustedDevices } from '../devices/trusted-devices.ts'
import { createRequiredFactor, type RequiredFactor } from '../factors/required-factor.ts'
import type { PasskeysFactor, RecoveryCodesFactor, TotpFactor } from '../factors/second-factors.ts'
import { type AttemptLimits, allowUnlimitedAttempts } from '../limits/attempt-limits.ts'
import { createSignInCodes, type SignInCodes } from '../mail/sign-in-codes.ts'
import type { ProviderLinks } from '../providers/provider-links.ts'
import type { Providers } from '../providers/provider-options.ts'
import type { AccountsOptions } from './accounts-options.ts'
import { readEmailCode } from './read-email-code.ts'
import { readPart } from './read-part.ts'
import { readProviders } from './read-providers.ts'
import { readSecondFactorPolicy } from './read-second-factor-policy.ts'
import { type ReadTokenClaims, readTokenClaims } from './read-token-claims.ts'
import { readTrustedDevices } from './read-trusted-devices.ts'

type SignInOptions = AccountsOptions['signIn']

/** The second factors that are offered; `null`: not this one. */
interface Factors {
  readonly totp: TotpFactor | null
  readonly passkeys: PasskeysFactor | null
  readonly recoveryCodes: RecoveryCodesFactor | null
}

/** The group `signIn` with its defaults. */
export interface ReadSignIn extends Factors {
  /** `null`: attempts are unlimited. */
  readonly attemptLimits: AttemptLimits | null
  /** `null`: a second factor is optional. */
  readonly requiredFactor: RequiredFactor | null
  /** `null`: every sign-in needs the second factor. */
  readonly trustedDevices: TrustedDevices | null
  /** `null`: codes by mail are not configured. */
  readonly signInCodes: SignInCodes | null
  /** `null`: providers are not configured. */
  readonly providers: Providers | null
  /** `null`: no device is recognized. */
  readonly knownDevices: KnownDevices | null
  readonly allowsNative: boolean
  readonly tokenClaims: ReadTokenClaims
}

interface Parts {
  readonly records: RecordStore
  readonly documents: DocumentStore | null
  readonly links: ProviderLinks | null
  readonly counters: CounterStore
  readonly now: () => number
  /** The version of stored values to write. */
  readonly storedVersion: () => number
}

/** @throws TypeError that names the option that is missing, unknown or not valid. */
export function readSignIn(signIn: SignInOptions, parts: Parts): ReadSignIn {
  const { emailCode, ...given } = checkOptionNames('createAccounts', signIn, names, 'signIn')
  const factors = readFactors(given, parts)
  return {
    ...factors,
    attemptLimits: readAttemptLimits(given.attemptLimits),
    requiredFactor: readRequiredFactor(given, { ...parts, ...factors }),
    trustedDevices: readTrusted(given, { ...parts, ...factors }),
    signInCodes: emailCode ? createSignInCodes({ ...readEmailCode(emailCode), ...parts }) : null,
    providers: readLinkedProviders(given, parts),
    knownDevices: readPart('signIn.knownDevices', given.knownDevices, 'recognize') ?? null,
    allowsNative: readNativeDelivery(given.nativeDelivery),
    tokenClaims: readTokenClaims(given.accessTokenClaims),
  }
}

const names = {
  attemptLimits: true,
  totp: true,
  passkeys: true,
  recoveryCodes: true,
  secondFactor: true,
  trustedDevices: true,
  emailCode: true,
  providers: true,
  knownDevices: true,
  nativeDelivery: true,
  accessTokenClaims: true,
} as const

function readAttemptLimits(limits: SignInOptions['attemptLimits']): AttemptLimits | null {
  if (limits === allowUnlimitedAttempts) return null
  if (typeof limits?.takePassword === 'function') return limits
  throw new TypeError('"signIn.attemptLimits" must be createAttemptLimits(…), or allowUnlimitedAttempts')
}

/**
 * @throws TypeError for a factor without recovery codes or documents: an owner who loses the factor would be locked
 * out.
 */
function readFactors(given: SignInOptions, { documents }: Pick<Parts, 'documents'>): Factors {
  const totp = readPart('signIn.totp', given.totp, 'verify') ?? null
  const passkeys = readPart('signIn.passkeys', given.passkeys, 'finishSignIn') ?? null
  const recoveryCodes = readPart('signIn.recoveryCodes', given.recoveryCodes, 'verify') ?? null
  if (totp === null && passkeys === null) return { totp, passkeys, recoveryCodes }
  if (recoveryCodes === null) {
    throw new TypeError('"signIn.recoveryCodes" is required with "signIn.totp" or "signIn.passkeys"')
  }
  if (documents === null) throw new TypeError('"documents" is required with "signIn.totp" or "signIn.passkeys"')
  return { totp, passkeys, recoveryCodes }
}

function readRequiredFactor(
  { secondFactor }: SignInOptions,
  { documents, ...parts }: Parts & Factors,
): RequiredFactor | null {
  if (secondFactor === undefined) return null
  if (!isOffered(parts) || documents === null) {
    throw new TypeError('"signIn.secondFactor" needs "signIn.totp" or "signIn.passkeys"')
  }
  return createRequiredFactor({ ...readSecondFactorPolicy(secondFactor), documents, ...parts })
}

function readTrusted({ trustedDevices }: SignInOptions, parts: Parts & Factors): TrustedDevices | null {
  if (trustedDevices === undefined) return null
  if (!isOffered(parts)) throw new TypeError('"signIn.trustedDevices" needs "signIn.totp" or "signIn.passkeys"')
  return createTrustedDevices({ ...readTrustedDevices(trustedDevices), ...parts })
}

function readLinkedProviders(given: SignInOptions, { links }: Pick<Parts, 'links'>): Providers | null {
  const providers = readProviders(given.providers)
  if (providers && !links) throw new TypeError('"signIn.providers" needs "documents"')
  return providers && links && { ...providers, links }
}

function isOffered({ totp, passkeys }: Factors): boolean {
  return totp !== null || passkeys !== null
}

function readNativeDelivery(symbol: SignInOptions['nativeDelivery']): boolean {
  if (symbol !== undefined && symbol !== allowNativeDelivery) {
    throw new TypeError('"signIn.nativeDelivery" must be allowNativeDelivery')
  }
  return symbol === allowNativeDelivery
}
