export { isSmtpError, SmtpError, type SmtpErrorCode } from './errors.ts'
export { createSmtpMailer, type SmtpMailerOptions } from './smtp/create-smtp-mailer.ts'
export { allowMailsInPlainText } from './smtp/smtp-server-address.ts'
