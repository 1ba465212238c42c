import { encodeBase64url, sha256 } from '@latchkey/bytes'
import type { Emit, FailureFacts } from '@latchkey/core/internal'
import type { CounterStore } from '@latchkey/store'
import type { AccountsEvent, WithheldMail } from '../accounts-event.ts'
import type { JudgedAttempt } from '../attempt.ts'
import type { BackgroundWork } from '../background-work.ts'
import type { Mail } from '../message.ts'
import { drawDelay } from './mail-delay.ts'
import type { MailWriter } from './mail-writer.ts'
import type { Mailer } from './mailer.ts'

/** A mail that strangers can request any number of times, to any address. */
export interface RequestedMail {
  /** The mails with this name share one limit. */
  readonly counted: 'sign-up' | 'reset' | 'email-change' | 'new-address' | 'new-device' | 'sign-in-code'
  readonly purpose: WithheldMail
  /** For events. */
  readonly accountId: string | null
  /** The canonical address. */
  readonly to: string
  /**
   * The origin of the request. Strangers do not consume the limit of a device that has signed in to the account before.
   */
  readonly attempt: JudgedAttempt
  /**
   * `false`: its address has asked for too many mails.
   * @default true
   */
  readonly mayAsk?: boolean
  /**
   * Called when the mail may be sent, and stores the value of its link.
   * @returns `null` if there is no mail to send.
   * @param nth the number of this mail among the mails that were counted together within the hour.
   */
  write(nth: number): Promise<Mail | null>
}

/** Sends mails that were asked for, as many as a mailbox may get. */
export interface RequestedMails {
  /**
   * Returns at once. After the response, at a random moment, the mail is counted, written and sent. A failure is an
   * event.
   */
  send(mail: RequestedMail): void
}

export interface RequestedMailsOptions {
  readonly counters: CounterStore
  readonly mailer: Mailer
  readonly write: MailWriter
  /** The longest delay. */
  readonly mailDelayMs: number
  readonly background: BackgroundWork
  /** Of all requests together. */
  readonly places: MailPlaces
  readonly emit: Emit<AccountsEvent>
}

/**
 * The number of mails of one kind that a mailbox gets within an hour for unknown devices, and again for known devices.
 */
const mailsAtMost = 3
const windowMs = 3_600_000

/** How many mails may wait for their moment, for known devices and for all others. */
const waitingAtMost = 10_000

/**
 * Bounds a flood: memory holds only requests that may lead to a mail, and the store no more than these. If as many
 * mails as a mailbox may get wait to be counted, another request could not send a mail.
 */
export function createRequestedMails(options: RequestedMailsOptions): RequestedMails {
  const { counters, mailer, write, mailDelayMs, background, places, emit } = options

  async function deliver(key: string, mail: RequestedMail): Promise<void> {
    const { count } = await counters.hit(key, windowMs)
    if (count > mailsAtMost) return withhold(mail)
    const asked = await mail.write(count)
    if (asked) await mailer.send(write(asked, mail.to, mail.attempt.locale))
  }

  function withhold({ purpose, accountId, attempt }: RequestedMail): void {
    emit({ type: 'mail.withheld', ...attempt, accountId, purpose })
  }

  return {
    send(mail) {
      const { counted, purpose, accountId, to, attempt, mayAsk = true } = mail
      if (!mayAsk) return withhold(mail)
      const device = attempt.device === null ? 'unknown' : 'known'
      const key = `mail:${counted}:${device}:${encodeBase64url(sha256(to))}`
      if (!places[device].take(key)) return withhold(mail)
      const work = (): Promise<void> => deliver(key, mail).finally(() => places[device].free(key))
      const onFailure = (failed: FailureFacts): void =>
        emit({ type: 'mail.failed', ...attempt, accountId, purpose, ...failed })
      background.run(work, onFailure, drawDelay(mailDelayMs))
    },
  }
}

/** The places of mails that wait, for known devices and for all others. */
export interface MailPlaces {
  readonly known: Places
  readonly unknown: Places
}

export function createMailPlaces(): MailPlaces {
  return { known: createPlaces(), unknown: createPlaces() }
}

/** A few places for each mailbox, and a number in all. */
interface Places {
  take(key: string): boolean
  free(key: string): void
}

function createPlaces(): Places {
  const taken = new Map<string, number>()
  let total = 0
  return {
    take(key) {
      const before = taken.get(key) ?? 0
      if (before >= mailsAtMost || total >= waitingAtMost) return false
      taken.set(key, before + 1)
      total += 1
      return true
    },
    free(key) {
      const left = (taken.get(key) ?? 0) - 1
      if (left > 0) taken.set(key, left)
      else taken.delete(key)
      total -= 1
    },
  }
}
