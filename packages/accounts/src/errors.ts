import type { PasswordRefusal } from '@latchkey/password'
import type { RateLimitPolicy } from '@latchkey/rate-limit'

/**
 * The rule that an input breaks:
 * - `EMAIL_INVALID`: not an address that mail can be sent to, or too long.
 * - `NAME_INVALID`: blank, longer than 100 characters, or with control or format characters.
 * - `PASSWORD_REFUSED`: not allowed by the password policy; `reason` names the rule.
 * - `EMAIL_UNVERIFIED`: the provider has verified no address, and a new account needs one.
 * - `EMAIL_HELD`: the address that the provider has verified is that of an account, which this user of the provider is not linked to.
 * - `PROVIDER_LINKED`: this user of the provider is linked to an account already.
 * - `SIGN_UP_CLOSED`: accounts are created by administrators only.
 * - `DELIVERY_REFUSED`: native delivery was requested and is not allowed.
 * - `FACTOR_UNAVAILABLE`: the service was not given this kind of factor.
 * - `OPERATION_UNAVAILABLE`: the service was not given what this use case needs.
 * - `OWN_ACCOUNT`: an administrator does not close the account that it acts with.
 * - `LAST_ADMINISTRATOR`: no other account could administer the service.
 * - `LAST_WAY_IN`: without what is to be removed its owner could not sign in.
 * - `REASON_INVALID`: no reason for acting as an account, one of more than 500 characters, or with control or format characters.
 * - `IMPERSONATION_REFUSED`: the administrator may not act as this account.
 * - `IMPERSONATED`: an administrator acts as the account, and this is for its owner alone.
 * - `ATTEMPTS_THROTTLED`: too many passwords or codes were wrong; nothing was tested. `retryAfterSeconds` says when to come
 *   back, `policy` which limit it was.
 */
export type AccountsErrorCode =
  | 'EMAIL_INVALID'
  | 'NAME_INVALID'
  | 'PASSWORD_REFUSED'
  | 'EMAIL_UNVERIFIED'
  | 'EMAIL_HELD'
  | 'PROVIDER_LINKED'
  | 'SIGN_UP_CLOSED'
  | 'DELIVERY_REFUSED'
  | 'FACTOR_UNAVAILABLE'
  | 'OPERATION_UNAVAILABLE'
  | 'OWN_ACCOUNT'
  | 'LAST_ADMINISTRATOR'
  | 'LAST_WAY_IN'
  | 'REASON_INVALID'
  | 'IMPERSONATION_REFUSED'
  | 'IMPERSONATED'
  | 'ATTEMPTS_THROTTLED'

/**
 * Why something shown was not accepted:
 * - `invalid-credentials`: the password, the refresh token or the account behind it. Which one is an event only.
 * - `link-invalid`: the link of a mail was used, has expired, was overtaken by a later change, or never was valid.
 */
export type RefusalReason = 'invalid-credentials' | 'link-invalid'

/** The verdict on something shown that was not accepted. It says nothing but the reason. */
export interface Refusal<Reason extends RefusalReason = RefusalReason> {
  readonly ok: false
  readonly reason: Reason
  /** `true`: it answered a step-up, so who has shown it is signed in as before. */
  readonly isStepUp?: true
}

export const invalidCredentials: Refusal<'invalid-credentials'> = Object.freeze({
  ok: false,
  reason: 'invalid-credentials',
})

/** The refusal of what answered a step-up. */
export const invalidStepUp: Refusal<'invalid-credentials'> = Object.freeze({ ...invalidCredentials, isStepUp: true })

export const invalidLink: Refusal<'link-invalid'> = Object.freeze({ ok: false, reason: 'link-invalid' })

interface AccountsErrorDetails {
  readonly field?: string | null
  readonly reason?: PasswordRefusal | null
  readonly minimumCharacters?: number | null
  readonly policy?: RateLimitPolicy | null
  readonly retryAfterSeconds?: number | null
}

/**
 * Thrown by a use case when its input breaks a rule. The code is the contract. The message states the rule and never
 * holds an address, a password, a token or a hash, and no code reveals whether an account exists.
 *
 * @example
 * import { isAccountsError } from '@latchkey/accounts'
 * export function explain(error: unknown) {
 *   return isAccountsError(error) ? { code: error.code, field: error.field } : null
 * }
 */
export class AccountsError extends Error {
  override readonly name = 'AccountsError'
  readonly code: AccountsErrorCode
  /** The name of the input that is refused; `null` when the whole call is. */
  readonly field: string | null
  /** For `PASSWORD_REFUSED` the rule, as `@latchkey/password` names it, else `null`. */
  readonly reason: PasswordRefusal | null
  /** For the reason `too-short` the least number of characters, where the policy states it, else `null`. */
  readonly minimumCharacters: number | null
  /** For `ATTEMPTS_THROTTLED` the limit that was exceeded, else `null`. */
  readonly policy: RateLimitPolicy | null
  /** For `ATTEMPTS_THROTTLED` after how many seconds the next attempt may be made, else `null`. */
  readonly retryAfterSeconds: number | null

  constructor(code: AccountsErrorCode, message: string, details: AccountsErrorDetails = {}) {
    super(message)
    this.code = code
    this.field = details.field ?? null
    this.reason = details.reason ?? null
    this.minimumCharacters = details.minimumCharacters ?? null
    this.policy = details.policy ?? null
    this.retryAfterSeconds = details.retryAfterSeconds ?? null
  }
}

/** @throws AccountsError FACTOR_UNAVAILABLE where a kind of factor was not configured. */
export function offered<Part extends object>(part: Part | null): Part {
  if (part !== null) return part
  throw new AccountsError('FACTOR_UNAVAILABLE', 'this kind of factor is not available')
}

/**
 * Returns what a use case needs.
 *
 * @param option what `createAccounts` was not given where it is `null`.
 * @throws AccountsError OPERATION_UNAVAILABLE.
 */
export function required<Part extends object>(part: Part | null, option: string): Part {
  if (part !== null) return part
  throw new AccountsError('OPERATION_UNAVAILABLE', `this operation is not available: it needs "${option}"`)
}

const codes: ReadonlySet<unknown> = new Set<AccountsErrorCode>([
  'EMAIL_INVALID',
  'NAME_INVALID',
  'PASSWORD_REFUSED',
  'EMAIL_UNVERIFIED',
  'EMAIL_HELD',
  'PROVIDER_LINKED',
  'SIGN_UP_CLOSED',
  'DELIVERY_REFUSED',
  'FACTOR_UNAVAILABLE',
  'OPERATION_UNAVAILABLE',
  'OWN_ACCOUNT',
  'LAST_ADMINISTRATOR',
  'LAST_WAY_IN',
  'REASON_INVALID',
  'IMPERSONATION_REFUSED',
  'IMPERSONATED',
  'ATTEMPTS_THROTTLED',
])

/**
 * Returns whether an error is an `AccountsError`, judged by its name and code: also one of another copy of this package.
 *
 * @example
 * import { isAccountsError } from '@latchkey/accounts'
 * const fieldOf = (error: unknown) => (isAccountsError(error) ? error.field : null)
 */
export function isAccountsError(error: unknown): error is AccountsError {
  return error instanceof Error && error.name === 'AccountsError' && codes.has((error as AccountsError).code)
}
