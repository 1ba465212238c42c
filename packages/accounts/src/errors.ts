import type { PasswordRefusal } from '@latchkey/password'

/**
 * The rule that an input breaks:
 * - `EMAIL_INVALID`: not an address that mail can be sent to, or too long.
 * - `NAME_INVALID`: nothing to see, longer than 100 characters, or with control or format characters.
 * - `PASSWORD_REFUSED`: against the password policy; `reason` says which rule.
 * - `SIGN_UP_CLOSED`: accounts are made by administrators only.
 * - `DELIVERY_REFUSED`: native delivery was asked for and is not allowed here.
 */
export type AccountsErrorCode =
  | 'EMAIL_INVALID'
  | 'NAME_INVALID'
  | 'PASSWORD_REFUSED'
  | 'SIGN_UP_CLOSED'
  | 'DELIVERY_REFUSED'

/**
 * Why something shown was not accepted:
 * - `invalid-credentials`: a password, a refresh token, or the account behind it. Which of them is an event, no answer.
 * - `link-invalid`: the link of a mail was used, has expired, was overtaken by a later change, or never was one.
 */
export type RefusalReason = 'invalid-credentials' | 'link-invalid'

/** The verdict on something shown that was not accepted. It is the same in every case of its reason. */
export interface Refusal<Reason extends RefusalReason = RefusalReason> {
  readonly ok: false
  readonly reason: Reason
}

export const invalidCredentials: Refusal<'invalid-credentials'> = Object.freeze({
  ok: false,
  reason: 'invalid-credentials',
})

export const invalidLink: Refusal<'link-invalid'> = Object.freeze({ ok: false, reason: 'link-invalid' })

interface AccountsErrorDetails {
  readonly field?: string | null
  readonly reason?: PasswordRefusal | null
  readonly minimumCharacters?: number | null
}

/**
 * Thrown by a use case when its input breaks a rule. The code is the contract. The message states the rule and never
 * holds an address, a password, a token or a hash, and no code reveals whether an account exists.
 *
 * @example
 * import { AccountsError } from '@latchkey/accounts'
 * export function explain(error: unknown) {
 *   return error instanceof AccountsError ? { code: error.code, field: error.field } : null
 * }
 */
export class AccountsError extends Error {
  override readonly name = 'AccountsError'
  readonly code: AccountsErrorCode
  /** The name of the input that is refused; `null` when the whole call is. */
  readonly field: string | null
  /** For `PASSWORD_REFUSED` the rule, as `@latchkey/password` names it, else `null`. */
  readonly reason: PasswordRefusal | null
  /** Beside the reason `too-short`: how many characters a password takes, where the policy says so; else `null`. */
  readonly minimumCharacters: number | null

  constructor(
    code: AccountsErrorCode,
    message: string,
    { field = null, reason = null, minimumCharacters = null }: AccountsErrorDetails = {},
  ) {
    super(message)
    this.code = code
    this.field = field
    this.reason = reason
    this.minimumCharacters = minimumCharacters
  }
}
