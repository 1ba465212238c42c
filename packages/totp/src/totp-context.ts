import type { SecretKeys } from '@latchkey/bytes'
import { checkOptionNames, wallClock } from '@latchkey/core/internal'
import type { DocumentStore } from '@latchkey/store'
import {
  type Collection,
  createCollection,
  defineStoredShape,
  isStoredCount,
  isStoredText,
  storedVersion as newestVersion,
  storedOrNull,
  storedOrOmitted,
} from '@latchkey/store/internal'
import { checkIssuer } from './otpauth-uri.ts'
import { createSealedSecrets, type SealedSecrets } from './sealed-secrets.ts'

export interface TotpOptions {
  /** Keeps the factors, and how many codes in a row were wrong. */
  readonly documents: DocumentStore
  /** Seal the secrets at rest: the first secret seals, all of them open. */
  readonly secrets: SecretKeys
  /** The name of the service, as the app shows it: 1 to 64 characters without a colon. */
  readonly issuer: string
  /**
   * The clock, in epoch milliseconds.
   * @default Date.now
   */
  readonly now?: () => number
  /**
   * How many codes before and after the one of this moment are right as well, for clocks that differ: 0 or 1.
   * @default 1
   */
  readonly window?: 0 | 1
  /**
   * How many wrong codes in a row disable a factor.
   * @default 100
   */
  readonly maxFailures?: number
  /**
   * How long an enrolment can be confirmed.
   * @default 600
   */
  readonly enrollmentSeconds?: number
  /**
   * The title of the QR code for screen readers.
   * @default 'QR code for an authenticator app'
   */
  readonly qrCodeTitle?: string
  /**
   * Returns the version of stored values to write. A service that shares its store with processes of an older release
   * returns the one that they know, until all have this release.
   * @default `storedVersion` of `@latchkey/store`, the newest
   */
  readonly storedVersion?: () => number
}

/** The stored value of an active factor. */
export interface ActiveTotp {
  /** Sealed. */
  readonly secret: string
  /** The time step of the last code that was accepted: it only rises. */
  readonly step: number
  /** Wrong codes in a row. */
  readonly failures: number
  readonly createdAt: number
  readonly lastUsedAt: number | null
}

/** The stored value of an unconfirmed enrolment. */
export interface PendingTotp {
  /** Sealed; `null` after its confirmation or too many wrong codes. */
  readonly secret: string | null
  readonly binding: string | null
  readonly expiresAt: number
  /** Wrong codes. */
  readonly failures: number
  /** Drawn for the first enrolment, and kept by the next ones until a removal. Absent: written before there were any. */
  readonly id?: string | undefined
}

/** The dependencies and options of every operation. */
export interface TotpContext {
  /** By account, as the enrolments. */
  readonly active: Collection<ActiveTotp>
  readonly pending: Collection<PendingTotp>
  readonly secrets: SealedSecrets
  readonly issuer: string
  readonly now: () => number
  readonly window: 0 | 1
  readonly maxFailures: number
  readonly enrollmentMs: number
  readonly qrCodeTitle: string
}

/** The `kind` of this factor in proofs. */
export const totpKind = 'totp'

const activeShape = defineStoredShape<ActiveTotp>({
  name: 'TOTP factor',
  members: {
    secret: isStoredText,
    step: isStoredCount,
    failures: isStoredCount,
    createdAt: isStoredCount,
    lastUsedAt: storedOrNull(isStoredCount),
  },
})

const pendingShape = defineStoredShape<PendingTotp>({
  name: 'TOTP enrolment',
  members: {
    secret: storedOrNull(isStoredText),
    binding: storedOrNull(isStoredText),
    expiresAt: isStoredCount,
    failures: isStoredCount,
    id: storedOrOmitted(isStoredText),
  },
})

const optionNames = {
  documents: true,
  secrets: true,
  issuer: true,
  now: true,
  window: true,
  maxFailures: true,
  enrollmentSeconds: true,
  qrCodeTitle: true,
  storedVersion: true,
} as const

/** @throws TypeError naming the option that is unknown, missing or not valid. */
export function createTotpContext(options: TotpOptions): TotpContext {
  const { documents, issuer } = checkOptionNames('createTotp', options, optionNames)
  const { now = wallClock, window = 1, storedVersion = () => newestVersion } = options
  const { maxFailures = 100, enrollmentSeconds = 600, qrCodeTitle = 'QR code for an authenticator app' } = options
  if (window !== 0 && window !== 1) throw new TypeError('"window" must be 0 or 1')
  checkCount('maxFailures', maxFailures)
  checkCount('enrollmentSeconds', enrollmentSeconds)
  return {
    active: createCollection({ documents, name: 'factor-totp', shape: activeShape, storedVersion }),
    pending: createCollection({ documents, name: 'factor-totp-enrollment', shape: pendingShape, storedVersion }),
    secrets: createSealedSecrets(options.secrets),
    issuer: checkIssuer(issuer),
    now,
    window,
    maxFailures,
    enrollmentMs: enrollmentSeconds * 1000,
    qrCodeTitle,
  }
}

function checkCount(option: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 1) throw new TypeError(`"${option}" must be a whole number of at least 1`)
}
