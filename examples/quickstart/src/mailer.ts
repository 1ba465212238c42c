import type { Mailer } from '@latchkey/accounts'
import { createTerminalMailer } from '@latchkey/server'
import { createFileMailer } from '@latchkey/server/node'
import { type Configuration, ConfigurationError } from './configuration.ts'

type MailSettings = Pick<Configuration, 'mailDirectory' | 'smtp' | 'production'>

/**
 * Opens the SMTP server, or the terminal if none is configured, and the mail directory if one is. Working links are printed
 * only if there is no mail server, and never in production.
 *
 * @throws ConfigurationError when the server's URL or the sender's address is not valid, or production has no way to deliver mails.
 */
export async function openMailer({ mailDirectory, smtp, production }: MailSettings): Promise<Mailer> {
  const mailers: Mailer[] = []
  if (smtp !== null) mailers.push(await openSmtpMailer(smtp))
  else if (!production) mailers.push(createTerminalMailer())
  if (mailDirectory !== null) mailers.push(createFileMailer({ directory: mailDirectory }))
  if (mailers.length === 0)
    throw new ConfigurationError('NODE_ENV=production needs SMTP_URL: mails are not printed there.')
  return { send: async (message) => void (await Promise.all(mailers.map((mailer) => mailer.send(message)))) }
}

/** Imports SMTP on demand: a start without a mail server is faster. */
async function openSmtpMailer({ url, from }: NonNullable<Configuration['smtp']>): Promise<Mailer> {
  const { createSmtpMailer } = await import('@latchkey/server/smtp')
  try {
    return createSmtpMailer({ url, from })
  } catch (error) {
    const isOfSender = error instanceof TypeError && error.message.startsWith('"from"')
    throw new ConfigurationError(
      isOfSender
        ? 'MAIL_FROM must be an address like no-reply@example.com or Example <no-reply@example.com>.'
        : 'SMTP_URL must be an address like smtps://user:password@mail.example.com:465, user and password percent-encoded.',
    )
  }
}
