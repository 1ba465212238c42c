import { checkOptionNames } from '@latchkey/core/internal'
import type { Mail, MailKind, MailText, MailTexts, Message } from '../message.ts'
import { englishMailTexts } from './english-texts.ts'

/** Writes a mail to one recipient in the requested language, if it has texts. */
export type MailWriter = (mail: Mail, to: string, locale: string | null | undefined) => Message

const english = 'en'

interface MailWriterOptions {
  /** The language for requests that name none. */
  readonly language?: string
  /** The words of each language, by its tag. */
  readonly texts?: Readonly<Record<string, Partial<MailTexts>>>
}

/** @throws TypeError that names what is not valid. */
export function createMailWriter({ language: byDefault = english, texts = {} }: MailWriterOptions): MailWriter {
  checkTag(byDefault, '"mails.language"')
  for (const [tag, words] of Object.entries(texts)) checkTexts(tag, words)
  const languages = new Map<string, Partial<MailTexts>>(Object.entries({ [english]: {}, ...texts }))
  if (!languages.has(byDefault)) throw new TypeError('"mails.language" has no words in "mails.texts"')
  const chosen = (asked: string | null | undefined): string =>
    [asked, asked?.split('-')[0]].find((tag) => tag && languages.has(tag)) ?? byDefault
  return (mail, to, asked) => {
    const locale = chosen(asked)
    const own = wordsOf(languages.get(locale), mail.kind)
    return own
      ? write(mail, own, { to, locale })
      : write(mail, wordsOf(languages.get(english), mail.kind) ?? englishWordsOf(mail.kind), { to, locale: english })
  }
}

type Words = (data: Mail['data']) => MailText

// Which data a kind has is known where a mail is made: `Mail` joins the two.
function wordsOf(texts: Partial<MailTexts> | undefined, kind: MailKind): Words | undefined {
  return texts?.[kind] as Words | undefined
}

function englishWordsOf(kind: MailKind): Words {
  return englishMailTexts[kind] as Words
}

function write(mail: Mail, words: Words, of: { readonly to: string; readonly locale: string }): Message {
  const { subject, paragraphs } = words(mail.data)
  const url = 'url' in mail.data ? mail.data.url : null
  const urls = new Set<unknown>(Object.values(mail.data).filter(isUrl))
  const html = toHtml({ subject, paragraphs }, { urls, locale: of.locale })
  return { ...mail, ...of, subject: toLine(subject), text: paragraphs.join('\n\n'), html, url }
}

function isUrl(value: unknown): boolean {
  return typeof value === 'string' && /^https?:\/\//.test(value)
}

/** A subject is a header. */
function toLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
}

function toHtml(
  { subject, paragraphs }: MailText,
  { urls, locale }: { readonly urls: ReadonlySet<unknown>; readonly locale: string },
): string {
  const body = paragraphs.map((text) => {
    const shown = escapeHtml(text)
    return urls.has(text) ? `<p><a href="${shown}">${shown}</a></p>` : `<p>${shown}</p>`
  })
  const head = `<meta charset="utf-8"><title>${escapeHtml(subject)}</title>`
  return ['<!doctype html>', `<html lang="${locale}">`, head, ...body, '</html>', ''].join('\n')
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '')
}

function checkTag(tag: string, name: string): void {
  if (typeof tag === 'string' && /^[A-Za-z]{2,8}(?:-[A-Za-z\d]{1,8})*$/.test(tag)) return
  throw new TypeError(`${name} must be the tag of a language, such as "de"`)
}

const kinds = Object.fromEntries(Object.keys(englishMailTexts).map((kind) => [kind, true])) as Record<MailKind, true>

function checkTexts(tag: string, texts: Partial<MailTexts>): void {
  const name = `"mails.texts.${tag}"`
  checkTag(tag, name)
  for (const [kind, words] of Object.entries(checkOptionNames(name, texts, kinds))) {
    if (words !== undefined && typeof words !== 'function') throw new TypeError(`${name}: "${kind}" must be a function`)
  }
}
