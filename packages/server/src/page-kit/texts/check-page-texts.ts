import { checkOptionNames } from '@latchkey/core/internal'
import { englishPageTexts } from './english.ts'
import type { PageTexts } from './page-texts.ts'

/**
 * Returns the texts of a translation.
 *
 * @param name the option, for messages.
 * @throws TypeError if a text is missing, unknown or empty, or has other placeholders than the English text.
 */
export function checkPageTexts(name: string, texts: PageTexts): PageTexts {
  const names = Object.keys(englishPageTexts) as (keyof PageTexts)[]
  const known = Object.fromEntries(names.map((known) => [known, true])) as Readonly<Record<keyof PageTexts, true>>
  checkOptionNames(`"${name}"`, texts, known)
  for (const key of names) {
    const text: unknown = texts[key]
    if (typeof text !== 'string' || text.trim() === '') throw new TypeError(`"${name}" must have a text for "${key}"`)
    const [given, needed] = [placesOf(text), placesOf(englishPageTexts[key])]
    if (given === needed) continue
    throw new TypeError(`"${name}": "${key}" must have ${needed === '' ? 'no words in braces' : needed}`)
  }
  return texts
}

/** Returns the placeholders without duplicates, sorted. */
function placesOf(text: string): string {
  return [...new Set(text.match(/\{[^{}]*\}/g))].sort().join(' ')
}
