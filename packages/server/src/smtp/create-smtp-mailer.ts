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

/** So many connections at once, and so many mails that wait for one: a server that hangs fills no memory. */
const most = { atOnce: 5, waiting: 1000 }

/**
 * Creates a mailer that hands mails over to an SMTP server, by `nodemailer`. Beyond this machine it sends by TLS with a certificate
 * that is trusted, or not at all. What a server refuses for good is not tried again; the rejection, an `SmtpError`, is the event
 * `mail.failed` of a service.
 *
 * It keeps no queue: what has not been handed over when the process ends is lost. The person asks again.
 *
 * @throws TypeError naming the option that is missing, unknown or cannot be used. It never repeats the address.
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
   * The server: `smtps://user:password@host` (port 465, TLS from the start) or `smtp://user:password@host` (port 587, STARTTLS, without
   * which nothing is sent). User and password are percent-encoded. On loopback, `smtp:` is plain text.
   */
  readonly url: string
  /** Whom mails are from, such as `Example <no-reply@example.com>`. */
  readonly from: string
  /**
   * Where answers go.
   * @default whom mails are from
   */
  readonly replyTo?: string
  /**
   * Certificates of authorities, as PEM, that sign the server's, in place of those that Node.js trusts.
   * @default those that Node.js trusts
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
   * How long to wait before each further attempt, in milliseconds, where the server cannot be reached or refuses for now; at
   * most 10 of them. Empty: one attempt.
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

/** @throws SmtpError that says what the last attempt failed of. */
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
