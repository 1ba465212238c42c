import type { Mail, MailKind } from '../mail-kinds.ts'

interface Written {
  /** The canonical address of one recipient. */
  readonly to: string
  /** The language of the words, as a tag of BCP 47. */
  readonly locale: string
  readonly subject: string
  /** The whole text; it contains `url` on a line of its own where there is one. */
  readonly text: string
  /** The same as an HTML document, without anything that is loaded from elsewhere. */
  readonly html: string
  /** The link that the mail is about, or `null`. It holds a secret that works once: never log it. */
  readonly url: string | null
}

/**
 * One mail, as plain text and as HTML. Who writes mails of their own takes `kind` and `data`, which are what the words are
 * made from.
 */
export type Message<Kind extends MailKind = MailKind> = Written & Mail<Kind>

/** What sends a mail: a mail service's client, the terminal, an array in a test. */
export interface Mailer {
  /** Hands the message over. A rejection becomes an event; it never changes an answer. */
  send(message: Message): Promise<void>
}
