import type { JwtSigner } from '@latchkey/jwt'
import type { PasswordHasher, PasswordPolicy } from '@latchkey/password'
import type { RefreshTokens, Sessions } from '@latchkey/sessions'
import type { RecordStore } from '@latchkey/store'
import type { AccountsEvent } from '../accounts-event.ts'
import type { allowNativeDelivery } from '../delivery.ts'
import type { Mailer } from '../mail/mailer.ts'
import type { AccountStore } from '../store/account-store.ts'

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
