/** One mail in plain text. */
export interface Message {
  /** The canonical address of one recipient. */
  readonly to: string
  readonly subject: string
  /** The whole text; it contains `url` on a line of its own where there is one. */
  readonly text: string
  /** The link that the mail is about, or `null`. It holds a secret that works once: never log it. */
  readonly url: string | null
}

/** What sends a mail: a mail service's client, the terminal, an array in a test. */
export interface Mailer {
  /** Hands the message over. A rejection becomes an event; it never changes an answer. */
  send(message: Message): Promise<void>
}
