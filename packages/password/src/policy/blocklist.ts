import { commonPasswords } from './common-passwords.ts'

/** Fewer characters than this beside a known word are no password of their own. */
const ownCharacters = 8

const replacedLetters: Readonly<Record<string, string>> = {
  '0': 'o',
  '!': 'i',
  '3': 'e',
  '4': 'a',
  '@': 'a',
  '5': 's',
  $: 's',
  '7': 't',
  '8': 'b',
  '+': 't',
}

/** Tells whether a folded password is a known one, give or take what people do to make it look like another. */
export type Blocklist = (folded: string) => boolean

/** Gives a password as a guesser sees it: width and case of the letters make no difference (NFKC, lower case). */
export function foldPassword(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}

let common: ReadonlySet<string> | undefined

/** @param further words of the application's own, checked in the same way. */
export function createBlocklist(further: readonly string[]): Blocklist {
  const own = new Set(further.map((word) => foldPassword(word).replace(/\s+/g, '')))
  return (folded) => {
    common ??= new Set(commonPasswords.trim().split(/\s+/))
    const known = common
    return candidatesOf(folded).some((candidate) => known.has(candidate) || own.has(candidate))
  }
}

/** The password itself, its core without digits and signs around it, each with replaced letters put back. */
function candidatesOf(folded: string): string[] {
  const compact = folded.replace(/\s+/g, '')
  const spellings = [compact, repeatedUnit(compact)].flatMap((text) => [text, ...coreOf(text)])
  const readings = spellings.flatMap(readReplaced)
  return [...spellings, ...readings, ...readings.flatMap(coreOf)]
}

/** The letters between leading and trailing digits and signs, unless these are many enough to be a secret. */
function coreOf(text: string): string[] {
  const core = text.replace(/^[^\p{L}]+/u, '').replace(/[^\p{L}]+$/u, '')
  return core.length > 0 && text.length - core.length < ownCharacters ? [core] : []
}

/** The two ways of reading a text in which digits and signs stand for letters: `1` is an l or an i. */
function readReplaced(text: string): string[] {
  const read = (one: string): string =>
    text.replace(/[0-9!@$+]/g, (character) => (character === '1' ? one : (replacedLetters[character] ?? character)))
  return [read('l'), read('i')]
}

/** `abcabcabc` is `abc`. */
export function repeatedUnit(text: string): string {
  const period = (text + text).indexOf(text, 1)
  return period < text.length ? text.slice(0, period) : text
}

/**
 * Tells whether a folded password is little more than words of its owner: the name, the parts of an e-mail address, the
 * service. Words of fewer than four characters are found too often to mean anything.
 */
export function isMadeOfContext(folded: string, context: readonly string[]): boolean {
  const words = context.flatMap((entry) => {
    const word = foldPassword(entry)
    return [word, ...word.split(/[^\p{L}\p{N}]+/u)]
  })
  const telling = [...new Set(words)].filter((word) => word.length >= 4).sort((a, b) => b.length - a.length)
  return [folded, ...readReplaced(folded)].some((spelling) => {
    const rest = telling.reduce((text, word) => text.replaceAll(word, ''), spelling)
    return rest !== spelling && [...rest].length < ownCharacters
  })
}
