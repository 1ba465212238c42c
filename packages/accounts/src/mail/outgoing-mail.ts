import type { Emit, FailureFacts } from '@latchkey/events'
import type { AccountsEvent, MailPurpose } from '../accounts-event.ts'
import type { Attempt } from '../attempt.ts'
import type { BackgroundWork } from '../background-work.ts'
import type { Letter } from './letters.ts'
import { drawDelay } from './mail-delay.ts'
import type { Mailer } from './mailer.ts'

export interface OutgoingMail {
  readonly purpose: MailPurpose
  /** For the event of a failure. */
  readonly accountId: string | null
  readonly attempt: Attempt
  /** The canonical address. */
  readonly to: string
  readonly letter: Letter
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
  /** The longest delay. */
  readonly mailDelayMs: number
  readonly background: BackgroundWork
  readonly emit: Emit<AccountsEvent>
}

export function createOutgoingMails({ mailer, mailDelayMs, background, emit }: OutgoingMailsOptions): OutgoingMails {
  return {
    send({ purpose, accountId, attempt, to, letter }) {
      const send = async (): Promise<void> => mailer.send({ to, ...letter })
      const onFailure = (failed: FailureFacts): void =>
        emit({ type: 'mail.failed', ...attempt, accountId, purpose, ...failed })
      background.run(send, onFailure, drawDelay(mailDelayMs))
    },
  }
}
