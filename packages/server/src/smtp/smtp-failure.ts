import { SmtpError, type SmtpErrorCode } from '../errors.ts'

/** The members that nodemailer adds to its errors. */
interface Reported {
  readonly code?: unknown
  /** The code of the underlying error of a socket or of TLS. */
  readonly originalCode?: unknown
  readonly command?: unknown
  readonly responseCode?: unknown
}

// None of them quotes the server: it repeats addresses.
const messages: Readonly<Record<SmtpErrorCode, string>> = {
  SMTP_RECIPIENT_REJECTED: 'the mail server refuses the recipient',
  SMTP_MESSAGE_REJECTED: 'the mail server refuses the mail',
  SMTP_CREDENTIALS_REJECTED: 'the mail server does not accept user and password',
  SMTP_TLS_UNAVAILABLE: 'the mail server has no TLS that is trusted',
  SMTP_UNAVAILABLE: 'the mail server could not be reached, or refused for now',
}

/** Returns the reason of a failed attempt. After `SMTP_UNAVAILABLE` a retry may succeed. */
export function toSmtpError(thrown: unknown): SmtpError {
  const reported: Reported = typeof thrown === 'object' && thrown !== null ? thrown : {}
  const status = typeof reported.responseCode === 'number' ? reported.responseCode : null
  const code = isForNow(status) ? 'SMTP_UNAVAILABLE' : codeOf(reported, status)
  return new SmtpError(code, messages[code], status)
}

/** RFC 5321 §4.2.1. 503 is about the connection, and not about the mail. */
function isForNow(status: number | null): boolean {
  return status !== null && !(status >= 500 && status < 600 && status !== 503)
}

/** The codes by which TLS refuses a certificate, or cannot agree with the server. */
const codeOfTls = /^(?:ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH)/

function codeOf({ code, originalCode, command }: Reported, status: number | null): SmtpErrorCode {
  if (code === 'ETLS' || (typeof originalCode === 'string' && codeOfTls.test(originalCode)))
    return 'SMTP_TLS_UNAVAILABLE'
  if (code === 'EAUTH' || code === 'ENOAUTH') return 'SMTP_CREDENTIALS_REJECTED'
  // An address that cannot be written in the server's alphabet is refused without a command.
  if (code === 'EENVELOPE' && (status === null || command === 'RCPT TO')) return 'SMTP_RECIPIENT_REJECTED'
  return status === null ? 'SMTP_UNAVAILABLE' : 'SMTP_MESSAGE_REJECTED'
}
