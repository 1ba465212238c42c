import type { JwtSigner } from '@latchkey/jwt'
import { requireOptions } from '@latchkey/options'
import type { PasswordHasher, PasswordPolicy } from '@latchkey/password'
import type { RefreshTokens, Sessions } from '@latchkey/sessions'
import type { RecordStore } from '@latchkey/store'
import type { AccountsDecision, AccountsEvent } from './accounts-event.ts'
import { type Afterwards, createAfterwards } from './mail/afterwards.ts'
import { createLinks } from './mail/links.ts'
import type { Mailer } from './mail/mailer.ts'
import { createPendingAccounts, type PendingAccounts } from './mail/pending-accounts.ts'
import { createResetLinks, type ResetLinks } from './mail/reset-links.ts'
import type { AccountStore } from './store/account-store.ts'
import { checkRoles } from './store/check-roles.ts'

/** Given as `nativeDelivery`: sign-in may answer the refresh token in the body, for apps that are not in a browser. */
export const allowNativeDelivery: unique symbol = Symbol('allowNativeDelivery')

export interface AccountsOptions {
  /** The durable accounts. */
  readonly accounts: AccountStore
  /** Where the links of mails are kept until they are used; its consistency must be `strong`. */
  readonly records: RecordStore
  readonly passwords: PasswordHasher
  /** Judges passwords that are to be set. */
  readonly policy: PasswordPolicy
  /** Over the same records as `refreshTokens`. */
  readonly sessions: Sessions
  readonly refreshTokens: RefreshTokens
  /** Signs access tokens. */
  readonly accessTokens: JwtSigner
  readonly mailer: Mailer
  /** What the links of mails begin with: scheme, host and path, for example `https://example.com`. */
  readonly baseUrl: string
  /** The role of a new account, or nobody signs up. */
  readonly signUp: { readonly role: string } | 'closed'
  /** Lets apps without a browser get refresh tokens in the body. Refused unless told. */
  readonly nativeDelivery?: typeof allowNativeDelivery
  /** How long the link of a sign-up works: 86400 (24 h) unless told. */
  readonly verificationTtlSeconds?: number
  /** How long the link of a password reset works: 3600 unless told. */
  readonly resetTtlSeconds?: number
  /**
   * A mail starts after a random time of up to so many milliseconds: 2000 unless told, at most 60000. 0 is for tests:
   * it lets the work of a mail show in the times of the requests that follow.
   */
  readonly mailDelayMs?: number
  /** The clock, epoch milliseconds; `Date.now` unless told. */
  readonly now?: () => number
  /** Hears every decision. What it throws is ignored. */
  readonly onEvent?: (event: AccountsEvent) => void
}

/** What every use case works with: the checked options. */
export interface AccountsContext
  extends Pick<
    AccountsOptions,
    'accounts' | 'passwords' | 'policy' | 'sessions' | 'refreshTokens' | 'accessTokens' | 'mailer'
  > {
  readonly home: string
  /** `null`: sign-up is closed. */
  readonly signUpRole: string | null
  readonly allowsNative: boolean
  readonly pendingAccounts: PendingAccounts
  readonly resets: ResetLinks
  readonly mailDelayMs: number
  readonly afterwards: Afterwards
  readonly now: () => number
  readonly emit: (decision: AccountsDecision) => void
}

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

/** @throws TypeError naming the option that cannot be used. */
export function createContext(options: AccountsOptions): AccountsContext {
  requireOptions('createAccounts', options, [...parts, 'baseUrl', 'signUp'])
  for (const name of parts) if (!options[name]) throw new TypeError(`"${name}" is required`)
  const { accounts, passwords, policy, sessions, refreshTokens, accessTokens, mailer } = options
  const { records, now = Date.now, verificationTtlSeconds = 86_400, resetTtlSeconds = 3600 } = options
  checkSeconds({ verificationTtlSeconds, resetTtlSeconds })
  const home = checkBaseUrl(options.baseUrl)
  const links = { records, now }
  const verifying = { kind: 'verify', ttlSeconds: verificationTtlSeconds, page: `${home}/verify` }
  const verifications = createLinks({ ...links, ...verifying })
  const afterwards = createAfterwards()
  const resets = createLinks({ ...links, kind: 'reset', ttlSeconds: resetTtlSeconds, page: `${home}/reset` })
  return {
    accounts,
    passwords,
    policy,
    sessions,
    refreshTokens,
    accessTokens,
    mailer,
    home,
    signUpRole: checkSignUp(options.signUp),
    allowsNative: checkNative(options.nativeDelivery),
    pendingAccounts: createPendingAccounts(records, verifications),
    resets: createResetLinks(records, resets, afterwards),
    mailDelayMs: checkMailDelay(options.mailDelayMs),
    afterwards,
    now,
    emit: (decision) => tell(options.onEvent, { ...decision, at: now() }),
  }
}

/** What a listener throws is its own affair: it never changes an answer. */
function tell(onEvent: AccountsOptions['onEvent'], event: AccountsEvent): void {
  try {
    onEvent?.(event)
  } catch {
    // A log that is full must not let anybody in or keep anybody out.
  }
}

function checkSeconds(options: Readonly<Record<string, number>>): void {
  for (const [name, seconds] of Object.entries(options)) {
    if (!(seconds >= 1 && seconds <= 31_536_000)) {
      throw new TypeError(`"${name}" must be a number of seconds from 1 to 31536000`)
    }
  }
}

function checkMailDelay(milliseconds = 2000): number {
  if (!(milliseconds >= 0 && milliseconds <= 60_000)) {
    throw new TypeError('"mailDelayMs" must be a number of milliseconds from 0 to 60000')
  }
  return milliseconds
}

function checkBaseUrl(text: string): string {
  const url = URL.parse(text)
  const isPlain = url && !url.search && !url.hash && !url.username && !url.password
  if (!isPlain || !/^https?:$/.test(url.protocol)) {
    throw new TypeError('"baseUrl" must be an http or https URL without query, fragment and credentials')
  }
  return url.href.replace(/\/+$/, '')
}

function checkSignUp(signUp: AccountsOptions['signUp']): string | null {
  if (signUp === 'closed') return null
  if (typeof signUp?.role !== 'string') throw new TypeError('"signUp" must be { role } or \'closed\'')
  checkRoles([signUp.role], 'signUp')
  return signUp.role
}

function checkNative(symbol: AccountsOptions['nativeDelivery']): boolean {
  if (symbol !== undefined && symbol !== allowNativeDelivery) {
    throw new TypeError('"nativeDelivery" must be allowNativeDelivery')
  }
  return symbol === allowNativeDelivery
}
