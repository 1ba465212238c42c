import { canonicalEmail, type Message } from '@latchkey/accounts'
import { randomToken } from '@latchkey/bytes'
import { SmtpError } from '../errors.ts'

/** An address with its display name. */
export interface Mailbox {
  readonly name: string
  readonly address: string
}

/**
 * Reads `ada@example.com` or `Ada <ada@example.com>`.
 *
 * @throws TypeError naming the option.
 */
export function readMailbox(option: string, text: string): Mailbox {
  const [, name = '', address = ''] = /^(?:"?([^"<>]*?)"? *<([^<>]*)>)$/.exec(text) ?? ['', '', text]
  const isPlain = typeof text === 'string' && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text)
  if (isPlain && canonicalEmail(address) !== null) return { name: name.trim(), address: address.trim() }
  throw new TypeError(`"${option}" must be an address like no-reply@example.com or Example <no-reply@example.com>`)
}

export interface Sender {
  readonly from: Mailbox
  readonly replyTo: Mailbox | null
}

/** The mail as nodemailer takes it. */
export interface ComposedMail extends Words {
  readonly from: Mailbox
  readonly replyTo?: Mailbox
  readonly to: Mailbox
  readonly envelope: { readonly from: string; readonly to: string[] }
  readonly messageId: string
  readonly headers: Record<string, string>
  readonly disableFileAccess: true
  readonly disableUrlAccess: true
}

type Words = Pick<Message, 'subject' | 'text' | 'html'>

/**
 * Returns a message for nodemailer, the same for each attempt. The envelope takes the recipient unparsed, so that it
 * cannot become a list of addresses.
 *
 * @throws SmtpError SMTP_RECIPIENT_REJECTED if it is no canonical address.
 */
export function composeMail({ to, subject, text, html }: Message, { from, replyTo }: Sender): ComposedMail {
  if (canonicalEmail(to) !== to) throw new SmtpError('SMTP_RECIPIENT_REJECTED', 'the recipient is not an address')
  return {
    from,
    ...(replyTo && { replyTo }),
    to: { name: '', address: to },
    envelope: { from: from.address, to: [to] },
    subject,
    text,
    html,
    // The same for each attempt, so that a mailbox that gets the mail twice shows it once.
    messageId: `<${randomToken(16)}@${domainOf(from.address)}>`,
    // RFC 3834: automatic responders do not answer it.
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

function domainOf(address: string): string {
  return (canonicalEmail(address) ?? address).split('@').at(-1) ?? ''
}
