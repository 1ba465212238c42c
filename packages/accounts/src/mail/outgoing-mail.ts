import type { Emit, FailureFacts } from '@latchkey/events'
import type { AccountsEvent } from '../accounts-event.ts'
import type { Attempt } from '../attempt.ts'
import type { BackgroundWork } from '../background-work.ts'
import type { Mail } from '../mail-kinds.ts'
import { drawDelay } from './mail-delay.ts'
import type { MailWriter } from './mail-writer.ts'
import type { Mailer } from './mailer.ts'

/** A mail, before it is written. */
export interface OutgoingMail {
  readonly mail: Mail
  /** For the event of a failure. */
  readonly accountId: string | null
  readonly attempt: Attempt
  /** The canonical address. */
  readonly to: string
}

/** Sends mails after the answer. */
export interface OutgoingMails {
  /**
   * Some accounts get a mail and others do not, so neither the time that it takes nor its failure may reach the caller: a
   * failure is an event, and the mail starts at a random moment, so that its work does not show in the times of the
   * requests that follow.
   */
  send(mail: OutgoingMail): void
}

export interface OutgoingMailsOptions {
  readonly mailer: Mailer
  readonly write: MailWriter
  /** The longest delay. */
  readonly mailDelayMs: number
  readonly background: BackgroundWork
  readonly emit: Emit<AccountsEvent>
}

export function createOutgoingMails({
  mailer,
  write,
  mailDelayMs,
  background,
  emit,
}: OutgoingMailsOptions): OutgoingMails {
  return {
    send({ mail, accountId, attempt, to }) {
      const send = async (): Promise<void> => mailer.send(write(mail, to, attempt.locale))
      const onFailure = (failed: FailureFacts): void =>
        emit({ type: 'mail.failed', ...attempt, accountId, purpose: mail.kind, ...failed })
      background.run(send, onFailure, drawDelay(mailDelayMs))
    },
  }
}
