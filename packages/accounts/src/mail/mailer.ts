import type { Message } from '../message.ts'

/** What sends a mail: a mail service's client, the terminal, an array in a test. */
export interface Mailer {
  /** Hands the message over. A rejection becomes an event; it never changes an answer. */
  send(message: Message): Promise<void>
}
