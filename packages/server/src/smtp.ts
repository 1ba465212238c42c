export { isSmtpError, SmtpError, type SmtpErrorCode } from './errors.ts'
export { createSmtpMailer } from './smtp/create-smtp-mailer.ts'
export { allowMailsInPlainText } from './smtp/smtp-server-address.ts'
