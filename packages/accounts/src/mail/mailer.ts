import type { Message } from '../message.ts'

/** Sends mails: a client of a mail service, the terminal, or an array in a test. */
export interface Mailer {
  /** Hands the message over. A rejection becomes an event; it never changes an answer. */
  send(message: Message): Promise<void>
}
