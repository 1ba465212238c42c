import type { Mailer } from '@latchkey/accounts'

const terminalMailers = new WeakSet<Mailer>()

/** Marks a mailer that prints working links. */
export function markTerminalMailer(mailer: Mailer): Mailer {
  terminalMailers.add(mailer)
  return mailer
}

/** @throws TypeError for a mailer that prints working links, in production. */
export function checkMailer(mailer: Mailer, environment: 'development' | 'production'): void {
  if (environment !== 'production' || !terminalMailers.has(mailer)) return
  throw new TypeError(
    '"mails.mailer" is createTerminalMailer(), which prints working links, and is refused in production: use createSmtpMailer of @latchkey/server/smtp or your own mailer',
  )
}
