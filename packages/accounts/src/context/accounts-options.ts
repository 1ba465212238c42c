import type { DenyList, JwtSigner } from '@latchkey/jwt'
import type { PasswordHasher, PasswordPolicy } from '@latchkey/password'
import type { RefreshTokens, Sessions } from '@latchkey/sessions'
import type { CounterStore, DocumentStore, RecordStore } from '@latchkey/store'
import type { AccountsEvent } from '../accounts-event.ts'
import type { allowNativeDelivery } from '../delivery.ts'
import type { DeviceTokens } from '../devices/device-tokens.ts'
import type { RememberDevices } from '../devices/remembered-devices.ts'
import type { SecondFactorPolicy } from '../factors/required-factor.ts'
import type { PasskeysFactor, RecoveryCodesFactor, TotpFactor } from '../factors/second-factors.ts'
import type { allowUnlimitedAttempts, GuessingLimits } from '../limits/guessing-limits.ts'
import type { MailOptions } from '../mail/mail-writer.ts'
import type { Mailer } from '../mail/mailer.ts'
import type { EmailCode } from '../mail/sign-in-codes.ts'
import type { ProvidersOptions } from '../providers/provider-options.ts'
import type { Account, AccountStore } from '../store/account-store.ts'
import type { AuditOptions } from '../trail/audit-port.ts'

/** What the application decides of a deletion. */
export interface DeletionOptions {
  /**
   * Deletes what the application keeps for an account, or takes the name off it. The account exists still, everything but
   * the request's own session has ended, and what it throws refuses the deletion. It is called again where an earlier deletion
   * has not come to its end, and where a sign-in happened while it worked.
   */
  readonly onDelete: (account: Account) => Promise<void> | void
}

/** Who administers the service. */
export interface AdministrationOptions {
  /** Whether an account may administer others: by its roles alone, as the policy of the service has them. */
  readonly isAdministrator: (account: Account) => boolean
}

/** Administrators who act as an account, to see what its owner sees. */
export interface ImpersonationOptions {
  /**
   * Whether an administrator may act as an account, by the roles of both: asked when it begins, and with every request. Return
   * `false` for an account that has a permission which the administrator lacks, and for other administrators. What is not exactly
   * `true` is a no; where it cannot be known, reject: the error passes through.
   */
  readonly mayImpersonate: (
    administrator: Pick<Account, 'id' | 'roles'>,
    account: Pick<Account, 'id' | 'roles'>,
  ) => boolean | Promise<boolean>
  /**
   * How long it lasts at most, 60 to 3600.
   * @default 900 (15 minutes)
   */
  readonly lifetimeSeconds?: number
  /**
   * Whether the owner gets a mail about it.
   * @default true
   */
  readonly notify?: boolean
}

type Exported = (account: Account) => Promise<unknown> | unknown

/** What else `exportAccount` exports. Each returns what `JSON.stringify` takes, and no secret. */
export interface DataExportOptions {
  /** What the account has allowed clients. */
  readonly grants?: Exported
  /** The decisions about the account, where an audit log is read. */
  readonly auditEntries?: Exported
  /** What the application keeps for the account. */
  readonly application?: Exported
}

export interface AccountsOptions {
  /**
   * The durable accounts. With the group `reservations`, changes of address can be undone; with `identities`, a session and its
   * account are read in one statement if `records` is the same store, over which `sessions` and `refreshTokens` are made too.
   */
  readonly accounts: AccountStore
  /** Keeps the links of mails until they are used; its consistency must be `strong`. */
  readonly records: RecordStore
  /**
   * Counts the mails that anybody can ask for, by mailbox, and the tries at their codes. Several processes need a shared store, or each of them sends as
   * many as all may.
   * @default `createMemoryCounterStore()`, for a single process
   */
  readonly counters?: CounterStore
  readonly passwords: PasswordHasher
  /** Decides which passwords may be set. */
  readonly policy: PasswordPolicy
  /** Over the same records as `refreshTokens`. */
  readonly sessions: Sessions
  readonly refreshTokens: RefreshTokens
  /**
   * The documents of accounts, such as second factors, links to providers and grants of clients: a deletion removes all of
   * them, and an undone change of the e-mail address the grants. Required with `totp`, `passkeys` and `providers`.
   */
  readonly documents?: DocumentStore
  /** Lets users sign in with providers: `{}`, or what is to be otherwise. Needs `documents`. Omitted: not offered. */
  readonly providers?: ProvidersOptions
  /** What a deletion does to what the application keeps. Omitted: accounts are not deleted by their owners. */
  readonly deletion?: DeletionOptions
  /**
   * Who administers the service, so that the last one is not locked out. Omitted: no one is known to.
   */
  readonly administration?: AdministrationOptions
  /** Lets administrators act as other accounts. Omitted: none does. */
  readonly impersonation?: ImpersonationOptions
  /** What `exportAccount` exports beside what this package keeps. */
  readonly dataExport?: DataExportOptions
  /** Signs access tokens. */
  readonly accessTokens: JwtSigner
  /**
   * Returns the claim `ext` of an access token, synchronously: an object of JSON values, at most 1024 bytes. Anyone who holds
   * the token can read it, so keep secrets out. `roles` are those of the token: none while the account must enrol. If it throws, no
   * token is issued. Omitted: tokens have no `ext`.
   */
  readonly accessTokenClaims?: (account: Account) => Readonly<Record<string, unknown>>
  /** By `createDenyList` of `@latchkey/jwt`: access tokens that it denies are refused. Omitted: there is no such list. */
  readonly denyList?: DenyList
  /**
   * By `createDeviceTokens`: recognizes devices that have signed in before, so that strangers cannot use up the mails of an
   * owner. Omitted: none is recognized.
   */
  readonly deviceTokens?: DeviceTokens
  /**
   * By `createGuessingLimits`: how many passwords and codes may be wrong. `allowUnlimitedAttempts` lets anyone guess without end.
   */
  readonly limits: GuessingLimits | typeof allowUnlimitedAttempts
  /** By `createTotp` of `@latchkey/totp`: codes of an authenticator app. Omitted: not offered. */
  readonly totp?: TotpFactor
  /** By `createPasskeys` of `@latchkey/passkeys`. Omitted: not offered. */
  readonly passkeys?: PasskeysFactor
  /** By `createRecoveryCodes` of `@latchkey/totp`: required with `totp` or `passkeys`. */
  readonly recoveryCodes?: RecoveryCodesFactor
  /**
   * Which accounts must have a second factor, and how long they may do without: needs `totp` or `passkeys`. Sessions from
   * before there was a policy have no grace, until their owner signs in again. Omitted: none must.
   */
  readonly secondFactor?: SecondFactorPolicy
  /**
   * Lets a person ask, after a second factor, that this device needs only the password for some days. Needs `totp` or
   * `passkeys`. Omitted: every sign-in asks for the second factor.
   */
  readonly rememberDevices?: RememberDevices
  /**
   * Lets a person sign in by a code that is mailed, in place of the password: `{}`, or `{ lifetimeSeconds }`. It is as much as
   * the mailbox, which a reset of the password takes as well, and no second factor. The tries at a code are counted in `counters`.
   * Omitted: not offered.
   */
  readonly emailCode?: EmailCode
  /**
   * The audit log that every decision about an account is written to: that it is about to be made, and what came of it.
   * While it cannot be written nothing is decided, and its error passes through. Omitted: nothing is audited.
   */
  readonly auditing?: AuditOptions
  readonly mailer: Mailer
  /**
   * In which languages mails are written, and in which words.
   * @default in English
   */
  readonly mails?: MailOptions
  /** The beginning of the links in mails: scheme, host and path, for example `https://example.com`. */
  readonly baseUrl: string
  /** The role of a new account, or `'closed'`: accounts are created by administrators only. */
  readonly signUp: { readonly role: string } | 'closed'
  /** `allowNativeDelivery` lets apps outside browsers get refresh tokens in the body. Omitted: refused. */
  readonly nativeDelivery?: typeof allowNativeDelivery
  /**
   * How long the link of a sign-up works.
   * @default 86_400 (24 hours)
   */
  readonly verificationTtlSeconds?: number
  /**
   * How long the link of a password reset works.
   * @default 3600 (1 hour)
   */
  readonly resetTtlSeconds?: number
  /**
   * How long the links of a change of address work.
   * @default 86_400 (24 hours)
   */
  readonly emailChangeTtlSeconds?: number
  /**
   * For how many days a change of address can be undone by the address before, 0 to 30: it stays reserved as long. With 0 that
   * address must confirm the change as well.
   * @default 7 if `accounts` has `reservations`; otherwise addresses cannot be changed
   */
  readonly undoDays?: number
  /**
   * The longest random delay before a mail is sent, at most 60000. 0 is for tests: the work of a mail then shows in the
   * times of the requests that follow.
   * @default 2000
   */
  readonly mailDelayMs?: number
  /**
   * The clock, epoch milliseconds.
   * @default that of `records`
   */
  readonly now?: () => number
  /**
   * Returns the version of stored values to write, as in `createSessions`.
   * @default `storedVersion` of `@latchkey/store`, the newest
   */
  readonly storedVersion?: () => number
  /**
   * Receives every decision. What it throws is ignored.
   * @default prints failures with `console.error`
   */
  readonly onEvent?: (event: AccountsEvent) => void
}
