import type { PasswordRefusal } from '@latchkey/password'

/**
 * Why input was refused:
 * - `EMAIL_INVALID`: not an address that mail can be sent to, or too long.
 * - `NAME_INVALID`: nothing to see, longer than 100 characters, or with control or format characters.
 * - `PASSWORD_REFUSED`: against the password policy; `reason` says which rule.
 * - `LINK_INVALID`: the link of a mail was used, has expired, was overtaken by a later change, or never was one.
 * - `SIGN_UP_CLOSED`: accounts are made by administrators only.
 * - `DELIVERY_REFUSED`: native delivery was asked for and is not allowed here.
 */
export type AccountsErrorCode =
  | 'EMAIL_INVALID'
  | 'NAME_INVALID'
  | 'PASSWORD_REFUSED'
  | 'LINK_INVALID'
  | 'SIGN_UP_CLOSED'
  | 'DELIVERY_REFUSED'

interface AccountsErrorDetails {
  readonly field?: string | null
  readonly reason?: PasswordRefusal | null
  readonly minimumCharacters?: number | null
}

/**
 * A use case was given input that it refuses. The code is the contract. The message states the rule and never holds an
 * address, a password, a token or a hash, and no code tells whether an account exists.
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
