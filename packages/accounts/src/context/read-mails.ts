import { checkOptionNames } from '@latchkey/core/internal'
import { type MailLinks, readMailLinks } from '../mail/mail-links.ts'
import { createMailWriter, type MailWriter } from '../mail/mail-writer.ts'
import type { Mailer } from '../mail/mailer.ts'
import type { AccountsOptions } from './accounts-options.ts'

type MailsOptions = AccountsOptions['mails']

/** The group `mails` with its defaults. */
export interface ReadMails {
  readonly mailer: Mailer
  readonly writeMail: MailWriter
  readonly notifiesNewDevices: boolean
  readonly mailLinks: MailLinks
  readonly linkSeconds: Required<Required<MailsOptions>['linkSeconds']>
  readonly requestsPerAddress: number
  readonly mailDelayMs: number
}

/** @throws TypeError that names the option that is missing, unknown or not valid. */
export function readMails(mails: MailsOptions): ReadMails {
  const { mailer, baseUrl, links, linkSeconds, requestsPerAddress, maxDelayMs, notifyNewDevices, ...words } =
    checkOptionNames('createAccounts', mails, names, 'mails')
  if (!mailer) throw new TypeError('"mails.mailer" is required')
  return {
    mailer,
    writeMail: createMailWriter(words),
    notifiesNewDevices: readNotifyNewDevices(notifyNewDevices),
    mailLinks: readMailLinks(readBaseUrl(baseUrl), links),
    linkSeconds: readLinkSeconds(linkSeconds),
    requestsPerAddress: readRequestsPerAddress(requestsPerAddress),
    mailDelayMs: readMaxDelay(maxDelayMs),
  }
}

const names = {
  mailer: true,
  baseUrl: true,
  language: true,
  texts: true,
  notifyNewDevices: true,
  links: true,
  linkSeconds: true,
  requestsPerAddress: true,
  maxDelayMs: true,
} as const

function readBaseUrl(text: string): string {
  const url = URL.parse(text)
  const isPlain = url && !url.search && !url.hash && !url.username && !url.password
  if (!isPlain || !/^https?:$/.test(url.protocol)) {
    throw new TypeError('"mails.baseUrl" must be an http or https URL without query, fragment and credentials')
  }
  return url.href.replace(/\/+$/, '')
}

function readNotifyNewDevices(isOn = false): boolean {
  if (typeof isOn === 'boolean') return isOn
  throw new TypeError('"mails.notifyNewDevices" must be true or false')
}

function readLinkSeconds(given: MailsOptions['linkSeconds'] = {}): ReadMails['linkSeconds'] {
  const { verifyEmail, resetPassword, confirmEmailChange } = checkOptionNames('"mails.linkSeconds"', given, {
    verifyEmail: true,
    resetPassword: true,
    confirmEmailChange: true,
  })
  return {
    verifyEmail: readSeconds('verifyEmail', verifyEmail, 86_400),
    resetPassword: readSeconds('resetPassword', resetPassword, 3600),
    confirmEmailChange: readSeconds('confirmEmailChange', confirmEmailChange, 86_400),
  }
}

function readSeconds(name: string, seconds: number | undefined, byDefault: number): number {
  const read = seconds === undefined ? byDefault : seconds
  if (typeof read === 'number' && read >= 1 && read <= 31_536_000) return read
  throw new TypeError(`"mails.linkSeconds.${name}" must be a number of seconds from 1 to 31536000`)
}

function readRequestsPerAddress(requests = 1000): number {
  if (Number.isSafeInteger(requests) && requests >= 1) return requests
  throw new TypeError('"mails.requestsPerAddress" must be a whole number of at least 1')
}

function readMaxDelay(milliseconds = 2000): number {
  if (typeof milliseconds === 'number' && milliseconds >= 0 && milliseconds <= 60_000) return milliseconds
  throw new TypeError('"mails.maxDelayMs" must be a number of milliseconds from 0 to 60000')
}
