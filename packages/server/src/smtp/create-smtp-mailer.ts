import type { Mailer } from '@latchkey/accounts'
import { abortAfter, checkOptionNames, createSemaphore, pause } from '@latchkey/core/internal'
import { createTransport } from 'nodemailer'
import { SmtpError } from '../errors.ts'
import { toSmtpError } from './smtp-failure.ts'
import { type ComposedMail, composeMail, readMailbox } from './smtp-message.ts'
import { type allowMailsInPlainText, readSmtpServer, type SmtpServerAddress } from './smtp-server-address.ts'

const optionNames = {
  url: true,
  from: true,
  replyTo: true,
  certificateAuthorities: true,
  transport: true,
  deadlineMs: true,
  retryDelaysMs: true,
} as const

/** The number of connections and of waiting mails. The limit keeps a hanging server from filling the memory. */
const most = { atOnce: 5, waiting: 1000 }

/**
 * Creates a mailer that sends mails by an SMTP server, with `nodemailer`. To other machines it sends only by TLS with a
 * trusted certificate. Permanent refusals are not retried. The error is an `SmtpError`, which a service reports as the
 * event `mail.failed`.
 *
 * It has no queue: pending mails are lost when the process exits, and the user requests another mail.
 *
 * @throws TypeError that names a missing, unknown or unusable option, without the address.
 *
 * @example
 * import { createSmtpMailer } from '@latchkey/server/smtp'
 * const mailer = createSmtpMailer({
 *   url: 'smtps://example:secret@mail.example.com',
 *   from: 'Example <no-reply@example.com>',
 * })
 */
export function createSmtpMailer(options: {
  /**
   * The server: `smtps://user:password@host` (port 465, TLS from the start) or `smtp://user:password@host` (port 587,
   * STARTTLS required). User and password are percent-encoded. On loopback, `smtp:` is plain text.
   */
  readonly url: string
  /**
   * The sender of mails, for example `Example <no-reply@example.com>`.
   */
  readonly from: string
  /**
   * Where answers go.
   * @default whom mails are from
   */
  readonly replyTo?: string
  /**
   * Certificates of authorities, as PEM, that replace the authorities that Node.js trusts.
   * @default the authorities that Node.js trusts
   */
  readonly certificateAuthorities?: string
  /** `allowMailsInPlainText` lets `smtp:` be plain text beyond this machine: a listener signs in with the links. */
  readonly transport?: typeof allowMailsInPlainText
  /**
   * How long one attempt may take, in milliseconds, 100 to 300000: from the connection to the server's word that it has the mail.
   * @default 30000
   */
  readonly deadlineMs?: number
  /**
   * The delays before each retry, in milliseconds, if the server cannot be reached or refuses for now; at most 10.
   * Empty: no retry.
   * @default [1000, 5000]
   */
  readonly retryDelaysMs?: readonly number[]
}): Mailer {
  const { from, replyTo } = checkOptionNames('createSmtpMailer', options, optionNames)
  const server = readSmtpServer(options)
  const sender = {
    from: readMailbox('from', from),
    replyTo: replyTo === undefined ? null : readMailbox('replyTo', replyTo),
  }
  const { deadlineMs, retryDelaysMs } = readPatience(options)
  const transport = openTransport(server, { deadlineMs, ca: options.certificateAuthorities })
  const places = createSemaphore(most)
  const attempt = async (mail: ComposedMail): Promise<void> => {
    await transport.sendMail({ ...mail, signal: abortAfter(deadlineMs) })
  }
  return {
    async send(message) {
      const mail = composeMail(message, sender)
      if (!(await places.enter())) throw new SmtpError('SMTP_UNAVAILABLE', 'too many mails wait for the mail server')
      try {
        await tryAll(() => attempt(mail), retryDelaysMs)
      } finally {
        places.leave()
      }
    },
  }
}

/** @throws SmtpError with the reason of the last attempt. */
async function tryAll(attempt: () => Promise<void>, delaysMs: readonly number[]): Promise<void> {
  for (const delayMs of [...delaysMs, null]) {
    try {
      return await attempt()
    } catch (thrown) {
      const error = toSmtpError(thrown)
      if (error.code !== 'SMTP_UNAVAILABLE' || delayMs === null) throw error
      await pause(delayMs)
    }
  }
}

type Patience = Required<Pick<Parameters<typeof createSmtpMailer>[0], 'deadlineMs' | 'retryDelaysMs'>>

function readPatience({
  deadlineMs = 30_000,
  retryDelaysMs = [1000, 5000],
}: Parameters<typeof createSmtpMailer>[0]): Patience {
  if (typeof deadlineMs !== 'number' || !(deadlineMs >= 100 && deadlineMs <= 300_000)) {
    throw new TypeError('"deadlineMs" must be a number of milliseconds from 100 to 300000')
  }
  const isDelay = (one: unknown): boolean => typeof one === 'number' && one >= 0 && one <= 300_000
  if (!Array.isArray(retryDelaysMs) || retryDelaysMs.length > 10 || !retryDelaysMs.every(isDelay)) {
    throw new TypeError('"retryDelaysMs" must be at most 10 numbers of milliseconds, each at most 300000')
  }
  return { deadlineMs, retryDelaysMs }
}

interface TransportSettings {
  readonly deadlineMs: number
  readonly ca: string | undefined
}

function openTransport({ host, port, tls, auth }: SmtpServerAddress, { deadlineMs, ca }: TransportSettings) {
  if (ca !== undefined && !(typeof ca === 'string' && ca.includes('-----BEGIN CERTIFICATE-----'))) {
    throw new TypeError('"certificateAuthorities" must be certificates in PEM')
  }
  return createTransport({
    host,
    port,
    secure: tls === 'from-the-start',
    requireTLS: tls === 'required',
    ignoreTLS: tls === 'none',
    // A server that no longer takes the user is not used without.
    ...(auth && { auth: { ...auth }, forceAuth: true }),
    tls: { minVersion: 'TLSv1.2', ...(ca !== undefined && { ca }) },
    connectionTimeout: deadlineMs,
    greetingTimeout: deadlineMs,
    socketTimeout: deadlineMs,
    dnsTimeout: deadlineMs,
    socketCloseTimeout: 0,
  })
}
