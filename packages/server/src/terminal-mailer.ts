import type { Mailer } from '@latchkey/accounts'
import { checkOptionNames } from '@latchkey/options'

export interface TerminalMailerOptions {
  /** Where a message is written; the console unless told. */
  readonly write?: (text: string) => void
}

/**
 * Gives a mailer for development: each message is printed. What it prints contains working links, so it is not for
 * production.
 *
 * @example
 * import { createTerminalMailer } from '@latchkey/server'
 * const mailer = createTerminalMailer()
 */
export function createTerminalMailer(options: TerminalMailerOptions = {}): Mailer {
  // biome-ignore lint/suspicious/noConsole: printing is what this mailer is for
  const { write = console.log } = checkOptionNames('createTerminalMailer', options, { write: true })
  return {
    async send({ to, subject, text }) {
      write(`\nMail to ${to}: ${subject}\n\n${text.replace(/^/gm, '  ')}\n`)
    },
  }
}
