import { checkSecrets } from '@latchkey/bytes/internal'
import { checkOptionNames } from '@latchkey/core/internal'
import { type CounterStore, createMemoryCounterStore } from '@latchkey/store'
import { checkStores, storedVersion as newestVersion } from '@latchkey/store/internal'
import { allowNativeDelivery } from '../delivery.ts'
import type { DeviceTokens } from '../devices/device-tokens.ts'
import {
  createRememberedDevices,
  type RememberedDevices,
  type RememberedDevicesOptions,
  readRememberDevices,
} from '../devices/remembered-devices.ts'
import { allowUnlimitedAttempts, type GuessingLimits } from '../limits/guessing-limits.ts'
import { readRequestsPerAddress } from '../mail/asking-addresses.ts'
import { type MailLinks, readMailLinks } from '../mail/mail-links.ts'
import { createMailWriter, type MailWriter } from '../mail/mail-writer.ts'
import { createSignInCodes, readEmailCode, type SignInCodes } from '../mail/sign-in-codes.ts'
import { checkRoles } from '../store/account-store.ts'
import type { AuditOptions } from '../trail/audit-port.ts'
import type { AccountsOptions } from './accounts-options.ts'
import { type AccountLife, readAccountLife } from './read-account-life.ts'
import { type FactorParts, readFactorParts } from './read-factor-parts.ts'
import { readPart } from './read-part.ts'
import { type ReadTokenClaims, readTokenClaims } from './read-token-claims.ts'
import { createOpenedReader, type SessionReader } from './session-reader.ts'

const parts = [
  'accounts',
  'records',
  'passwords',
  'policy',
  'sessions',
  'refreshTokens',
  'accessTokens',
  'mailer',
] as const

const optionNames = {
  accounts: true,
  records: true,
  counters: true,
  passwords: true,
  policy: true,
  sessions: true,
  refreshTokens: true,
  accessTokens: true,
  accessTokenClaims: true,
  documents: true,
  providers: true,
  deletion: true,
  administration: true,
  dataExport: true,
  impersonation: true,
  denyList: true,
  deviceTokens: true,
  limits: true,
  totp: true,
  passkeys: true,
  recoveryCodes: true,
  secondFactor: true,
  rememberDevices: true,
  emailCode: true,
  auditing: true,
  mailer: true,
  mails: true,
  baseUrl: true,
  signUp: true,
  nativeDelivery: true,
  verificationTtlSeconds: true,
  resetTtlSeconds: true,
  emailChangeTtlSeconds: true,
  undoDays: true,
  mailDelayMs: true,
  storedVersion: true,
  now: true,
  onEvent: true,
} as const

/** The options as the use cases need them: checked, and with their defaults. */
export interface ReadOptions extends Pick<AccountsOptions, (typeof parts)[number]>, FactorParts, AccountLife {
  readonly counters: CounterStore
  readonly tokenClaims: ReadTokenClaims
  /** Reads what a credential has opened. */
  readonly opened: SessionReader
  /** `null`: no device is recognized. */
  readonly deviceTokens: DeviceTokens | null
  /** `null`: guessing is unlimited. */
  readonly limits: GuessingLimits | null
  /** `null`: every sign-in asks for the second factor. */
  readonly rememberedDevices: RememberedDevices | null
  /** `null`: none signs in by a code of a mail. */
  readonly signInCodes: SignInCodes | null
  /** `null`: nothing is audited. */
  readonly auditing: AuditOptions | null
  readonly writeMail: MailWriter
  readonly mailsNewDevices: boolean
  readonly requestsPerAddress: number
  readonly mailLinks: MailLinks
  /** `null`: sign-up is closed. */
  readonly signUpRole: string | null
  readonly allowsNative: boolean
  readonly verificationTtlSeconds: number
  readonly resetTtlSeconds: number
  readonly emailChangeTtlSeconds: number
  readonly mailDelayMs: number
  /** The version of stored values to write. */
  readonly storedVersion: () => number
  readonly now: () => number
  readonly onEvent: AccountsOptions['onEvent']
}

/** @throws TypeError that names the option that is missing, unknown or cannot be used. */
export function readOptions(options: AccountsOptions): ReadOptions {
  const { baseUrl, signUp, nativeDelivery, ...rest } = checkOptionNames('createAccounts', options, optionNames)
  for (const name of parts) if (!options[name]) throw new TypeError(`"${name}" is required`)
  const { accounts, passwords, policy, sessions, refreshTokens, accessTokens, mailer, onEvent } = rest
  const { records } = rest
  checkStores({ records })
  const { now = () => records.now(), storedVersion = () => newestVersion } = options
  const home = readBaseUrl(baseUrl)
  const counters = readPart('counters', options.counters, 'hit') ?? createMemoryCounterStore({ now })
  return {
    accounts,
    records,
    counters,
    passwords,
    policy,
    sessions,
    refreshTokens,
    accessTokens,
    tokenClaims: readTokenClaims(options.accessTokenClaims),
    opened: createOpenedReader({
      records,
      accounts,
      sessions,
      refreshTokens,
      denyList: readPart('denyList', options.denyList, 'isDenied') ?? null,
    }),
    ...readAccountLife(options, { storedVersion }),
    ...readFactorParts(options, { now, storedVersion }),
    deviceTokens: readPart('deviceTokens', options.deviceTokens, 'recognize') ?? null,
    limits: readLimits(options.limits),
    rememberedDevices: readRememberedDevices(options, { records, now, storedVersion }),
    signInCodes: options.emailCode
      ? createSignInCodes({ ...readEmailCode(options.emailCode), records, counters, now, storedVersion })
      : null,
    auditing: readAuditing(options.auditing),
    mailer,
    writeMail: createMailWriter(options.mails),
    mailsNewDevices: readMailsNewDevices(options),
    requestsPerAddress: readRequestsPerAddress(options.mails),
    mailLinks: readMailLinks(home, options.mails?.links),
    signUpRole: readSignUp(signUp),
    allowsNative: readNativeDelivery(nativeDelivery),
    verificationTtlSeconds: readSeconds('verificationTtlSeconds', options.verificationTtlSeconds, 86_400),
    resetTtlSeconds: readSeconds('resetTtlSeconds', options.resetTtlSeconds, 3600),
    emailChangeTtlSeconds: readSeconds('emailChangeTtlSeconds', options.emailChangeTtlSeconds, 86_400),
    mailDelayMs: readMailDelay(options.mailDelayMs),
    storedVersion,
    now,
    onEvent,
  }
}

function readLimits(limits: AccountsOptions['limits']): GuessingLimits | null {
  if (limits === allowUnlimitedAttempts) return null
  if (typeof limits?.takePassword === 'function') return limits
  throw new TypeError('"limits" must be createGuessingLimits(…), or allowUnlimitedAttempts')
}

function readAuditing(auditing: AuditOptions | undefined): AuditOptions | null {
  if (auditing === undefined) return null
  const { log, secrets } = checkOptionNames('"auditing"', auditing, { log: true, secrets: true })
  if (typeof log?.intend !== 'function') throw new TypeError('"auditing.log" must be createAuditLog(…)')
  return { log, secrets: checkSecrets(secrets, 'auditing.secrets') }
}

function readRememberedDevices(
  { rememberDevices, totp, passkeys }: AccountsOptions,
  parts: Omit<RememberedDevicesOptions, 'days'>,
): RememberedDevices | null {
  if (rememberDevices === undefined) return null
  if (!totp && !passkeys) throw new TypeError('"rememberDevices" needs "totp" or "passkeys"')
  return createRememberedDevices({ ...readRememberDevices(rememberDevices), ...parts })
}

function readSeconds(name: string, seconds: number | undefined, byDefault: number): number {
  const read = seconds === undefined ? byDefault : seconds
  if (typeof read === 'number' && read >= 1 && read <= 31_536_000) return read
  throw new TypeError(`"${name}" must be a number of seconds from 1 to 31536000`)
}

/** @throws TypeError unless it is one of the two values. */
export function readNewDevice(mails: AccountsOptions['mails']): boolean {
  const isOn = mails?.notifyNewDevices ?? false
  if (typeof isOn === 'boolean') return isOn
  throw new TypeError('"mails.notifyNewDevices" must be true or false')
}

function readMailsNewDevices({ mails, deviceTokens }: AccountsOptions): boolean {
  const isOn = readNewDevice(mails)
  if (isOn && !deviceTokens) throw new TypeError('"mails.notifyNewDevices" needs "deviceTokens"')
  return isOn
}

function readMailDelay(milliseconds = 2000): number {
  if (typeof milliseconds === 'number' && milliseconds >= 0 && milliseconds <= 60_000) return milliseconds
  throw new TypeError('"mailDelayMs" must be a number of milliseconds from 0 to 60000')
}

function readBaseUrl(text: string): string {
  const url = URL.parse(text)
  const isPlain = url && !url.search && !url.hash && !url.username && !url.password
  if (!isPlain || !/^https?:$/.test(url.protocol)) {
    throw new TypeError('"baseUrl" must be an http or https URL without query, fragment and credentials')
  }
  return url.href.replace(/\/+$/, '')
}

function readSignUp(signUp: AccountsOptions['signUp']): string | null {
  if (signUp === 'closed') return null
  if (typeof signUp?.role !== 'string') throw new TypeError('"signUp" must be { role } or \'closed\'')
  const { role } = checkOptionNames('"signUp"', signUp, { role: true })
  checkRoles([role], 'signUp')
  return role
}

function readNativeDelivery(symbol: AccountsOptions['nativeDelivery']): boolean {
  if (symbol !== undefined && symbol !== allowNativeDelivery) {
    throw new TypeError('"nativeDelivery" must be allowNativeDelivery')
  }
  return symbol === allowNativeDelivery
}
