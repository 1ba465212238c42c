import type { AccountsErrorCode } from '@latchkey/accounts'
import { checkOptionNames } from '@latchkey/options'
import type { PasswordRefusal } from '@latchkey/password'
import { english } from './english.ts'

/** The name of a sentence of the pages. */
export type PageTextName = keyof typeof english

/** All that the pages say in one language. A word in braces, such as `{name}`, stands for what a page puts in its place. */
export type PageTexts = { readonly [Name in PageTextName]: string }

/**
 * What the pages say in English: where a translation begins.
 *
 * @example
 * import { createServer, englishPageTexts, type PageTexts, type ServiceOptions } from '@latchkey/server'
 * const german: PageTexts = { ...englishPageTexts, 'sign-in.title': 'Anmelden', 'field.password': 'Passwort' }
 * export const pages: ServiceOptions<never>['pages'] = { language: 'de', translations: { de: german } }
 */
export const englishPageTexts: PageTexts = Object.freeze(english satisfies Refusals)

/** Every refusal has its sentence: a new code without one does not compile. */
type Refusals = Readonly<Record<`refusal.${AccountsErrorCode}` | `password.${PasswordRefusal}`, string>>

/**
 * @param name of the option, for messages.
 * @throws TypeError that names the sentence that is missing, unknown, empty or without one of its words in braces.
 */
export function checkPageTexts(name: string, texts: PageTexts): PageTexts {
  const names = Object.keys(english) as PageTextName[]
  const known = Object.fromEntries(names.map((known) => [known, true])) as Readonly<Record<PageTextName, true>>
  checkOptionNames(`"${name}"`, texts, known)
  for (const key of names) {
    const text: unknown = texts[key]
    if (typeof text !== 'string' || text.trim() === '') throw new TypeError(`"${name}" must have a text for "${key}"`)
    const [given, needed] = [placesOf(text), placesOf(english[key])]
    if (given === needed) continue
    throw new TypeError(`"${name}": "${key}" must have ${needed === '' ? 'no words in braces' : needed}`)
  }
  return texts
}

/** The words in braces, each once, in one order for all languages. */
function placesOf(text: string): string {
  return [...new Set(text.match(/\{[^{}]*\}/g))].sort().join(' ')
}
