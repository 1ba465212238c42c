import type { Mailer, MailOptions } from '@latchkey/accounts'

/** The mailer, the texts of mails, and their links. */
export interface MailsOptions extends MailOptions {
  /** Sends the mails. It is called after the response; its failure is an event. */
  readonly mailer: Mailer
  /**
   * The longest random delay before a mail is sent, at most 60000, so that its work does not show in the times of other
   * requests. 0 is for tests.
   * @default 2000
   */
  readonly maxDelayMs?: number
  /** The lifetimes of links, in seconds. */
  readonly linkSeconds?: {
    /**
     * The link of a sign-up.
     * @default 86400 (24 hours)
     */
    readonly verifyEmail?: number
    /**
     * The link of a password reset.
     * @default 3600
     */
    readonly resetPassword?: number
    /**
     * The links of a change of address. `accounts.emailUndoDays` is the time to undo it.
     * @default 86400 (24 hours)
     */
    readonly confirmEmailChange?: number
  }
}
