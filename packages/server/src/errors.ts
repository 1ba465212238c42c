/**
 * Why a mail was not handed over:
 * - `SMTP_RECIPIENT_REJECTED`: the server does not take mails for this recipient, or it is no address. Not tried again.
 * - `SMTP_MESSAGE_REJECTED`: the server does not take this sender or this mail. Not tried again.
 * - `SMTP_CREDENTIALS_REJECTED`: the server does not accept the user or the password. Not tried again.
 * - `SMTP_TLS_UNAVAILABLE`: the server has no TLS or no certificate that is trusted; nothing was sent. Not tried again.
 * - `SMTP_UNAVAILABLE`: the server could not be reached, did not answer in time, or refused for now, at every attempt.
 */
export type SmtpErrorCode =
  | 'SMTP_RECIPIENT_REJECTED'
  | 'SMTP_MESSAGE_REJECTED'
  | 'SMTP_CREDENTIALS_REJECTED'
  | 'SMTP_TLS_UNAVAILABLE'
  | 'SMTP_UNAVAILABLE'

/**
 * What the mailer of `createSmtpMailer` rejects with. The code is the contract. What the server has said is left out, because
 * servers repeat addresses: neither the message nor another member holds an address, a link or a password.
 *
 * @example
 * import { isSmtpError } from '@latchkey/server/smtp'
 * const isWorthALook = (error: unknown) => isSmtpError(error) && error.code !== 'SMTP_RECIPIENT_REJECTED'
 */
export class SmtpError extends Error {
  override readonly name = 'SmtpError'
  readonly code: SmtpErrorCode
  /** The response code of the server, such as 550; `null`: it was none. */
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
