import { encodeBase64url, sha256 } from '@latchkey/bytes'
import type { Emit, FailureFacts } from '@latchkey/core/internal'
import type { CounterStore } from '@latchkey/store'
import type { AccountsEvent } from '../accounts-event.ts'
import type { JudgedAttempt } from '../attempt.ts'
import type { BackgroundWork } from '../background-work.ts'
import type { Mail } from '../message.ts'
import { drawDelay } from './mail-delay.ts'
import type { MailWriter } from './mail-writer.ts'
import type { Mailer } from './mailer.ts'

/** A mail, before it is written. */
export interface OutgoingMail {
  readonly mail: Mail
  /** For the event of a failure. */
  readonly accountId: string | null
  readonly attempt: JudgedAttempt
  /** The canonical address. */
  readonly to: string
  /**
   * Sends one mail after `times` calls within `withinMs`, at most one in that time. Omitted: each call sends a mail.
   */
  readonly after?: { readonly times: number; readonly withinMs: number }
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
  readonly counters: CounterStore
  readonly mailer: Mailer
  readonly write: MailWriter
  /** The longest delay. */
  readonly mailDelayMs: number
  readonly background: BackgroundWork
  readonly emit: Emit<AccountsEvent>
}

export function createOutgoingMails({
  counters,
  mailer,
  write,
  mailDelayMs,
  background,
  emit,
}: OutgoingMailsOptions): OutgoingMails {
  async function isDue({ mail, to, after }: OutgoingMail): Promise<boolean> {
    if (after === undefined) return true
    const { count } = await counters.hit(`mail:${mail.kind}:${encodeBase64url(sha256(to))}`, after.withinMs)
    return count === after.times
  }

  return {
    send(outgoing) {
      const { mail, accountId, attempt, to } = outgoing
      const send = async (): Promise<void> => {
        if (await isDue(outgoing)) await mailer.send(write(mail, to, attempt.locale))
      }
      const onFailure = (failed: FailureFacts): void =>
        emit({ type: 'mail.failed', ...attempt, accountId, purpose: mail.kind, ...failed })
      background.run(send, onFailure, drawDelay(mailDelayMs))
    },
  }
}
