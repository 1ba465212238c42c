import type { PasswordRefusal } from '@latchkey/password'
import type { RateLimitPolicy } from '@latchkey/rate-limit'

/**
 * The rule that an input breaks:
 * - `EMAIL_INVALID`: mail cannot be sent to the address, or it is too long.
 * - `NAME_INVALID`: blank, longer than 100 characters, or with control or format characters.
 * - `PASSWORD_REJECTED`: the password policy does not allow it; `reason` names the rule.
 * - `EMAIL_UNVERIFIED`: the provider has verified no address, and a new account needs a verified address.
 * - `EMAIL_IN_USE`: an account that is not linked to this user of the provider has the verified address.
 * - `PROVIDER_IN_USE`: this user of the provider is linked to an account already.
 * - `SIGN_UP_CLOSED`: only administrators create accounts.
 * - `DELIVERY_NOT_ALLOWED`: native delivery was requested and is not allowed.
 * - `FACTOR_UNAVAILABLE`: this kind of factor is not configured.
 * - `OPERATION_UNAVAILABLE`: an option that the use case needs is not configured.
 * - `CANNOT_CHANGE_OWN_ACCOUNT`: administrators cannot close their own account.
 * - `LAST_ADMINISTRATOR`: no other account could administer the service.
 * - `LAST_SIGN_IN_METHOD`: the owner could not sign in without it.
 * - `REASON_INVALID`: the reason of an impersonation is blank, longer than 500 characters, or has control or format
 *   characters.
 * - `IMPERSONATION_NOT_ALLOWED`: the administrator may not act as this account.
 * - `NOT_WHILE_IMPERSONATING`: an administrator acts as the account, and only its owner can do this.
 * - `API_KEY_REJECTED`: the name, the scopes or the lifetime of an API key (`field`), or the account has 25 keys.
 * - `ATTEMPTS_RATE_LIMITED`: too many wrong passwords, codes, links or API keys, or too many requests with one key. The
 *   input was not verified. `retryAfterSeconds` says when to try again, `policy` names the limit.
 */
export type AccountsErrorCode =
  | 'EMAIL_INVALID'
  | 'NAME_INVALID'
  | 'PASSWORD_REJECTED'
  | 'EMAIL_UNVERIFIED'
  | 'EMAIL_IN_USE'
  | 'PROVIDER_IN_USE'
  | 'SIGN_UP_CLOSED'
  | 'DELIVERY_NOT_ALLOWED'
  | 'FACTOR_UNAVAILABLE'
  | 'OPERATION_UNAVAILABLE'
  | 'CANNOT_CHANGE_OWN_ACCOUNT'
  | 'LAST_ADMINISTRATOR'
  | 'LAST_SIGN_IN_METHOD'
  | 'REASON_INVALID'
  | 'IMPERSONATION_NOT_ALLOWED'
  | 'NOT_WHILE_IMPERSONATING'
  | 'API_KEY_REJECTED'
  | 'ATTEMPTS_RATE_LIMITED'

/**
 * The verdict on an input that was not accepted:
 * - `invalid-credentials`: the password, the refresh token or the account is not valid. Only the event tells which.
 * - `link-invalid`: the link of a mail is used, expired, outdated by a later change, or unknown.
 */
export interface Rejection<
  Reason extends 'invalid-credentials' | 'link-invalid' = 'invalid-credentials' | 'link-invalid',
> {
  readonly ok: false
  readonly reason: Reason
  /** `true`: it answered a step-up, so the account stays signed in as before. */
  readonly isStepUp?: true
}

export const invalidCredentials: Rejection<'invalid-credentials'> = Object.freeze({
  ok: false,
  reason: 'invalid-credentials',
})

/** The rejection of an answer to a step-up. */
export const invalidStepUp: Rejection<'invalid-credentials'> = Object.freeze({ ...invalidCredentials, isStepUp: true })

export const invalidLink: Rejection<'link-invalid'> = Object.freeze({ ok: false, reason: 'link-invalid' })

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
  /** The name of the refused input; `null` if the whole call is refused. */
  readonly field: string | null
  /** For `PASSWORD_REJECTED` the rule, as `@latchkey/password` names it, else `null`. */
  readonly reason: PasswordRefusal | null
  /** For the reason `too-short` the minimum number of characters, if the policy states it, else `null`. */
  readonly minimumCharacters: number | null
  /** For `ATTEMPTS_RATE_LIMITED` the limit that was exceeded, else `null`. */
  readonly policy: RateLimitPolicy | null
  /** For `ATTEMPTS_RATE_LIMITED` the number of seconds until the next attempt may be made, else `null`. */
  readonly retryAfterSeconds: number | null

  constructor(
    code: AccountsErrorCode,
    message: string,
    details: Partial<
      Pick<AccountsError, 'field' | 'reason' | 'minimumCharacters' | 'policy' | 'retryAfterSeconds'>
    > = {},
  ) {
    super(message)
    this.code = code
    this.field = details.field ?? null
    this.reason = details.reason ?? null
    this.minimumCharacters = details.minimumCharacters ?? null
    this.policy = details.policy ?? null
    this.retryAfterSeconds = details.retryAfterSeconds ?? null
  }
}

/** @throws AccountsError FACTOR_UNAVAILABLE if the kind of factor is not configured. */
export function offered<Part extends object>(part: Part | null): Part {
  if (part !== null) return part
  throw new AccountsError('FACTOR_UNAVAILABLE', 'this kind of factor is not available')
}

/**
 * Returns the part that a use case needs.
 *
 * @param option the option of `createAccounts` that configures the part.
 * @throws AccountsError OPERATION_UNAVAILABLE if the part is `null`.
 */
export function required<Part extends object>(part: Part | null, option: string): Part {
  if (part !== null) return part
  throw new AccountsError('OPERATION_UNAVAILABLE', `this operation is not available: it needs "${option}"`)
}

const codes: ReadonlySet<unknown> = new Set<AccountsErrorCode>([
  'EMAIL_INVALID',
  'NAME_INVALID',
  'PASSWORD_REJECTED',
  'EMAIL_UNVERIFIED',
  'EMAIL_IN_USE',
  'PROVIDER_IN_USE',
  'SIGN_UP_CLOSED',
  'DELIVERY_NOT_ALLOWED',
  'FACTOR_UNAVAILABLE',
  'OPERATION_UNAVAILABLE',
  'CANNOT_CHANGE_OWN_ACCOUNT',
  'LAST_ADMINISTRATOR',
  'LAST_SIGN_IN_METHOD',
  'REASON_INVALID',
  'IMPERSONATION_NOT_ALLOWED',
  'NOT_WHILE_IMPERSONATING',
  'API_KEY_REJECTED',
  'ATTEMPTS_RATE_LIMITED',
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
