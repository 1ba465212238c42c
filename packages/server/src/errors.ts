/**
 * The reason why a mail was not delivered:
 * - `SMTP_RECIPIENT_REJECTED`: the server rejects this recipient, or the address is malformed. Not retried.
 * - `SMTP_MESSAGE_REJECTED`: the server rejects the sender or the mail. Not retried.
 * - `SMTP_CREDENTIALS_REJECTED`: the server rejects the user or the password. Not retried.
 * - `SMTP_TLS_UNAVAILABLE`: the server has no TLS or no trusted certificate, so the mail was not sent. Not retried.
 * - `SMTP_UNAVAILABLE`: at every attempt, the server could not be reached, did not answer in time, or refused for now.
 */
export type SmtpErrorCode =
  | 'SMTP_RECIPIENT_REJECTED'
  | 'SMTP_MESSAGE_REJECTED'
  | 'SMTP_CREDENTIALS_REJECTED'
  | 'SMTP_TLS_UNAVAILABLE'
  | 'SMTP_UNAVAILABLE'

/**
 * The error of the mailer of `createSmtpMailer`. Its `code` is stable. It contains no address, link or password, and
 * not the server's reply, because servers repeat addresses.
 *
 * @example
 * import { isSmtpError } from '@latchkey/server/smtp'
 * const isWorthALook = (error: unknown) => isSmtpError(error) && error.code !== 'SMTP_RECIPIENT_REJECTED'
 */
export class SmtpError extends Error {
  override readonly name = 'SmtpError'
  readonly code: SmtpErrorCode
  /** The server's response code, for example 550; `null` if the server did not respond. */
  readonly status: number | null

  constructor(code: SmtpErrorCode, message: string, status: number | null = null) {
    super(message)
    this.code = code
    this.status = status
  }
}

const codes: ReadonlySet<unknown> = new Set<SmtpErrorCode>([
  'SMTP_RECIPIENT_REJECTED',
  'SMTP_MESSAGE_REJECTED',
  'SMTP_CREDENTIALS_REJECTED',
  'SMTP_TLS_UNAVAILABLE',
  'SMTP_UNAVAILABLE',
])

/**
 * Returns whether an error is an `SmtpError`, judged by its name and code: also one of another copy of this package.
 *
 * @example
 * import { isSmtpError } from '@latchkey/server/smtp'
 * const codeOf = (error: unknown) => (isSmtpError(error) ? error.code : null)
 */
export function isSmtpError(error: unknown): error is SmtpError {
  return error instanceof Error && error.name === 'SmtpError' && codes.has((error as SmtpError).code)
}
