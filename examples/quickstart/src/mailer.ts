import type { Mailer } from '@latchkey/accounts'
import { createTerminalMailer } from '@latchkey/server'
import { createFileMailer } from '@latchkey/server/node'
import { type Configuration, ConfigurationError } from './configuration.ts'

type MailSettings = Pick<Configuration, 'mailDirectory' | 'smtp'>

/**
 * Opens the SMTP server, or the terminal if none is configured, and the mail directory if one is. Working links are printed
 * only if there is no mail server.
 *
 * @throws ConfigurationError when the server's URL or the sender's address is not valid.
 */
export async function openMailer({ mailDirectory, smtp }: MailSettings): Promise<Mailer> {
  const mailers = [
    smtp === null ? createTerminalMailer() : await openSmtpMailer(smtp),
    ...(mailDirectory === null ? [] : [createFileMailer({ directory: mailDirectory })]),
  ]
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
