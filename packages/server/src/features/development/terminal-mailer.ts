import type { Mailer } from '@latchkey/accounts'
import { checkOptionNames } from '@latchkey/core/internal'
import { markTerminalMailer } from '../../options/mails/terminal-mailers.ts'

/**
 * Creates a mailer for development: it prints each message. The output contains working links, so `createServer` throws a
 * TypeError for it in production. It does not recognize the mailer within a mailer of yours.
 *
 * @example
 * import { createTerminalMailer } from '@latchkey/server'
 * const mailer = createTerminalMailer()
 */
export function createTerminalMailer(
  options: {
    /**
     * Writes a message.
     * @default console.log
     */
    readonly write?: (text: string) => void
  } = {},
): Mailer {
  // biome-ignore lint/suspicious/noConsole: printing is what this mailer is for
  const { write = console.log } = checkOptionNames('createTerminalMailer', options, { write: true })
  return markTerminalMailer({
    async send({ to, subject, text }) {
      write(`\nMail to ${to}: ${subject}\n\n${text.replace(/^/gm, '  ')}\n`)
    },
  })
}
