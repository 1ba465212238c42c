import type { SecretKeys } from '@latchkey/bytes'
import type { DenyList, JwtSigner } from '@latchkey/jwt'
import type { PasswordHasher, PasswordPolicy } from '@latchkey/password'
import type { RefreshTokens, Sessions } from '@latchkey/sessions'
import type { CounterStore, DocumentStore, RecordStore } from '@latchkey/store'
import type { AccountsEvent } from '../accounts-event.ts'
import type { allowNativeDelivery } from '../delivery.ts'
import type { KnownDevices } from '../devices/known-devices.ts'
import type { PasskeysFactor, RecoveryCodesFactor, TotpFactor } from '../factors/second-factors.ts'
import type { AttemptLimits, allowUnlimitedAttempts } from '../limits/attempt-limits.ts'
import type { Mailer } from '../mail/mailer.ts'
import type { MailTexts } from '../message.ts'
import type { Account, AccountStore } from '../store/account-store.ts'

export interface AccountsOptions {
  /**
   * The accounts. With `reservations`, changes of address can be undone. With `identities`, a session and its account
   * are read in one statement, if `records` is the store that the identities read.
   */
  readonly accounts: AccountStore
  /** The links of mails and other records that expire. Its consistency must be `strong`. */
  readonly records: RecordStore
  /**
   * The documents of accounts, such as second factors, links to providers and grants of clients. A deletion removes all
   * of them; an undone change of address removes the grants. Required with `signIn.totp`, `signIn.passkeys`,
   * `signIn.providers`, `administration` and `apiKeys`.
   */
  readonly documents?: DocumentStore
  /**
   * Counts, by mailbox, the mails that strangers can request, and the attempts at their codes. Several processes need a
   * shared store: otherwise each process allows the full number.
   * @default `createMemoryCounterStore()`, for a single process
   */
  readonly counters?: CounterStore
  readonly passwordHasher: PasswordHasher
  /** Decides which passwords may be set. */
  readonly passwordPolicy: PasswordPolicy
  /** Over the same records as `refreshTokens`. */
  readonly sessions: Sessions
  readonly refreshTokens: RefreshTokens
  /** Signs access tokens. */
  readonly accessTokens: JwtSigner
  /** `createDenyList` of `@latchkey/jwt`: access tokens that it denies are refused. Omitted: none is denied. */
  readonly denyList?: DenyList
  /** The role of a new account, or `'closed'`: only administrators create accounts. */
  readonly signUp: { readonly role: string } | 'closed'
  /** The ways to sign in, and the limits on attempts. An omitted way is not offered. */
  readonly signIn: {
    /**
     * `createAttemptLimits`: the number of wrong passwords and codes that are allowed. `allowUnlimitedAttempts` allows
     * any number.
     */
    readonly attemptLimits: AttemptLimits | typeof allowUnlimitedAttempts
    /** Codes of an authenticator app: `createTotp` of `@latchkey/totp`. */
    readonly totp?: TotpFactor
    /** `createPasskeys` of `@latchkey/passkeys`. */
    readonly passkeys?: PasskeysFactor
    /** `createRecoveryCodes` of `@latchkey/totp`: required with `totp` or `passkeys`. */
    readonly recoveryCodes?: RecoveryCodesFactor
    /**
     * The accounts that must have a second factor. Sessions from before the policy have no grace until their owner signs in
     * again. Needs `totp` or `passkeys`. Omitted: a second factor is optional.
     */
    readonly secondFactor?: {
      /** `'all'` accounts, or accounts that hold one of these roles. Inherited roles do not count: name both. */
      readonly required: 'all' | readonly string[]
      /**
       * The time in which an account may do without, from its first sign-in under the policy. With 0 it can only set up a factor
       * and sign out.
       * @default 604_800 (7 days)
       */
      readonly graceSeconds?: number
    }
    /**
     * Lets people trust a device after a second factor, so that it needs only the password for some days. Needs `totp` or
     * `passkeys`. Omitted: every sign-in needs the second factor.
     */
    readonly trustedDevices?: {
      /** From the sign-in that trusts the device, 1 to 365. */
      readonly days: number
    }
    /**
     * Lets people sign in with a code from a mail instead of the password: `{}`, or `{ lifetimeSeconds }`. The code is a first
     * factor, as the password is. Attempts at a code are counted in `counters`.
     */
    readonly emailCode?: {
      /**
       * The lifetime of a code, 60 to 600.
       * @default 600 (10 minutes)
       */
      readonly lifetimeSeconds?: number
    }
    /** Lets people sign in with providers: `{}`, or the options that differ. Needs `documents`. */
    readonly providers?: {
      /**
       * The account of a user without a link. `'verified-email'`: a new account with the address that the provider has
       * verified, unless `signUp` is closed or an account has the address. `'closed'`: no account.
       * @default 'closed'
       */
      readonly newAccounts?: 'verified-email' | 'closed'
      /**
       * The issuers whose `amr` counts (RFC 8176): a user who presented two factors there needs no second factor here.
       * @default [], so a sign-in with a provider is one factor
       */
      readonly trustedAmr?: readonly string[]
      /**
       * The issuers that omit the time of the sign-in, and whose callbacks still count as fresh proofs. Anyone with the
       * user's browser can produce such proofs.
       * @default [], so their callbacks are never fresh proofs
       */
      readonly undatedProofs?: readonly string[]
    }
    /**
     * `createKnownDevices`: recognizes devices that have signed in before, so that strangers cannot use up the mails of an
     * owner. Omitted: none is recognized.
     */
    readonly knownDevices?: KnownDevices
    /** `allowNativeDelivery` returns refresh tokens in the body to apps outside browsers. Omitted: such requests are refused. */
    readonly nativeDelivery?: typeof allowNativeDelivery
    /**
     * Returns the claim `ext` of an access token, synchronously: an object of JSON values, at most 1024 bytes. Anyone
     * who holds the token can read it, so keep secrets out. `roles` are the roles in the token: empty while the account
     * must enrol. If it throws, no token is issued. Omitted: tokens have no `ext`.
     */
    readonly accessTokenClaims?: (account: Account) => Readonly<Record<string, unknown>>
  }
  /** The mailer, the texts of mails, and their links. */
  readonly mails: {
    /** Sends the mails, after the response. Its failure is an event. */
    readonly mailer: Mailer
    /** The beginning of links: scheme, host and path, for example `https://example.com`. */
    readonly baseUrl: string
    /**
     * The language of people who request none, as a tag of BCP 47.
     * @default 'en'
     */
    readonly language?: string
    /**
     * The texts of each language, by its tag. Omitted texts of `en` keep their defaults; a mail without a text in a language is
     * in English.
     * @default only the English ones
     */
    readonly texts?: Readonly<Record<string, Partial<MailTexts>>>
    /**
     * Whether owners get a mail if a device signs in that their account does not know. Needs `signIn.knownDevices`.
     * @default false
     */
    readonly notifyNewDevices?: boolean
    /**
     * The pages of links: URLs, or paths below `baseUrl`. `verifyEmail`, `resetPassword`, `confirmEmailChange` and
     * `undoEmailChange` get a `token` in the query, and pass it to that use case. `requestPasswordReset` requests a mail to reset
     * the password, and `devices` and `account` lead to the sign-in first.
     * @default the pages of `createServer`: `/verify`, `/reset`, `/confirm-email-change`, `/undo-email-change`, `/reset`, `/devices`, `/account`
     */
    readonly links?: {
      readonly verifyEmail?: string
      readonly resetPassword?: string
      readonly confirmEmailChange?: string
      readonly undoEmailChange?: string
      readonly requestPasswordReset?: string
      readonly devices?: string
      readonly account?: string
    }
    /** The lifetimes of links, in seconds. */
    readonly linkSeconds?: {
      /**
       * The link of a sign-up.
       * @default 86_400 (24 hours)
       */
      readonly verifyEmail?: number
      /**
       * The link of a password reset.
       * @default 3600 (1 hour)
       */
      readonly resetPassword?: number
      /**
       * The links of a change of address. `emailUndoDays` is the time to undo it.
       * @default 86_400 (24 hours)
       */
      readonly confirmEmailChange?: number
    }
    /**
     * The number of mails for sign-ups, new passwords and codes that an address without a known device can request within an hour,
     * for all mailboxes together. Further requests get the same response, and no mail is sent. Each process counts for itself;
     * requests from an unknown address are not counted.
     * @default 1000
     */
    readonly requestsPerAddress?: number
    /**
     * The longest random delay before a mail is sent, at most 60000, so that its work does not show in the times of other
     * requests. 0 is for tests.
     * @default 2000
     */
    readonly maxDelayMs?: number
  }
  /**
   * The number of days in which the former address can undo a change of address, 0 to 30; it stays reserved meanwhile. With 0
   * both addresses confirm a change.
   * @default 7 if `accounts` has `reservations`; otherwise addresses cannot be changed
   */
  readonly emailUndoDays?: number
  /** Lets owners delete their accounts. Omitted: owners cannot. */
  readonly deletion?: {
    /**
     * Deletes the application's data of an account, or removes the name from it. The account still exists at this time;
     * all its sessions but the session of the request are revoked. An error refuses the deletion. It is called again if
     * an earlier deletion did not finish, and after a sign-in in the meantime.
     */
    readonly onDelete: (account: Account) => Promise<void> | void
  }
  /** Protects the last administrator. Needs `documents`. Omitted: no account is protected. */
  readonly administration?: {
    /** Whether an account administers others, by its roles alone. */
    readonly isAdministrator: (account: Account) => boolean
  }
  /** Adds data to `exportAccount`. Each function returns a value for `JSON.stringify`, without secrets. */
  readonly dataExport?: {
    /** The clients that the account has granted access. */
    readonly grants?: (account: Account) => unknown
    /** The decisions about the account, from an audit log. */
    readonly auditEntries?: (account: Account) => unknown
    /** The data of the application. */
    readonly application?: (account: Account) => unknown
  }
  /** Lets programs act for accounts with keys. Needs `documents`. Omitted: keys are neither created nor accepted. */
  readonly apiKeys?: {
    /**
     * The prefix of each key: 1 to 7 characters of a-z and 0-9, the first a letter, and an underscore. For example
     * `lk_`.
     */
    readonly prefix: string
    /**
     * Returns whether a key of the account may have a scope. Allow only scopes that you offer to keys, and whose permissions
     * the account has now. Every result except `true` refuses the scope; an error is rethrown.
     */
    readonly mayGrant: (account: Pick<Account, 'id' | 'roles'>, scope: string) => boolean | Promise<boolean>
    /**
     * The longest lifetime of a key in days, 1 to 365.
     * @default 365
     */
    readonly maxDays?: number
    /**
     * The number of requests of one key within a minute, counted in `counters`.
     * @default 600
     */
    readonly requestsPerMinute?: number
  }
  /** Lets administrators act as other accounts. Omitted: they cannot. */
  readonly impersonation?: {
    /**
     * Whether an administrator may act as an account, by the roles of both, at its start and for every request. Return `false`
     * for an account with a permission that the administrator lacks, and for other administrators. Anything but `true` refuses;
     * an error passes through.
     */
    readonly mayImpersonate: (
      administrator: Pick<Account, 'id' | 'roles'>,
      account: Pick<Account, 'id' | 'roles'>,
    ) => boolean | Promise<boolean>
    /**
     * Its longest duration, 60 to 3600.
     * @default 900 (15 minutes)
     */
    readonly lifetimeSeconds?: number
    /**
     * Whether the owner gets a mail.
     * @default true
     */
    readonly notify?: boolean
  }
  /**
   * The audit log of decisions about accounts. If the log cannot be written, the decision is refused and the log's
   * error passes through. Omitted: decisions are not audited.
   */
  readonly audit?: {
    /** `createAuditLog` of `@latchkey/audit`. */
    readonly log: {
      /** Adds a row before an effect. If it rejects, the effect does not take place. */
      intend(facts: {
        /** The `type` of the event of the decision. */
        readonly kind: string
        /** The account it is about. */
        readonly accountId: string | null
        /** The account that decided; `null` if it is unknown, or a command. */
        readonly actorId: string | null
        // These are personal, and can be erased.
        readonly address: string | null
        readonly userAgent: string | null
        readonly requestId: string | null
        /** The other members of the event. They cannot be erased. */
        readonly details?: Readonly<Record<string, string | number | boolean | null>>
      }): Promise<{
        /** Adds the row of the effect. */
        done(changed?: Partial<Parameters<Required<AccountsOptions>['audit']['log']['intend']>[0]>): Promise<void>
        /** Adds the row of a failure without an effect. */
        failed(): Promise<void>
      }>
      /** Adds a decision without an effect that could be under way. */
      record(facts: Parameters<Required<AccountsOptions>['audit']['log']['intend']>[0]): Promise<void>
    }
    /**
     * The keys of the hash that replaces an identifier without an account, because people type passwords into that
     * field. Derive them with `deriveSecrets`.
     */
    readonly secrets: SecretKeys
  }
  /**
   * Returns the version of stored values to write, as in `createSessions`.
   * @default the newest
   */
  readonly storedVersion?: () => number
  /**
   * The clock, in epoch milliseconds.
   * @default the clock of `records`
   */
  readonly now?: () => number
  /**
   * Receives every decision. Errors of the listener are ignored.
   * @default prints failures with `console.error`
   */
  readonly onEvent?: (event: AccountsEvent) => void
}
