/**
 * A reading of a password with the same number of characters, in which signs are replaced by the letters that they
 * resemble.
 */
export interface LeetVariant {
  readonly text: string
  /** Whether the text is to be read from its end. */
  readonly isReversed: boolean
}

const letterFor: Readonly<Record<string, string>> = {
  '0': 'o',
  '2': 'z',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '6': 'g',
  '7': 't',
  '8': 'b',
  '9': 'g',
  '@': 'a',
  $: 's',
  '+': 't',
  '(': 'c',
  '€': 'e',
}

const cyrillicKeys = 'йцукенгшщзхъфывапролджэячсмитьбюё'
const latinKeys = "qwertyuiop[]asdfghjkl;'zxcvbnm,.`"

/** Returns a password with differences removed that no guesser is stopped by: width, ligatures and capitals. */
export function foldPassword(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}

/**
 * Returns the leetVariants of a folded password in which words are looked for: without accents, with digits and signs as
 * the letters that they look like, Cyrillic as typed on Latin keys, and backwards.
 */
export function leetVariantsOf(folded: string): readonly LeetVariant[] {
  const plain = withoutAccents(folded)
  const others = [readDigits(plain, 'l'), readDigits(plain, 'i'), plain.replace(/[\u0430-\u0451]/g, onLatinKey)]
  return [
    { text: plain, isReversed: false },
    { text: plain.split('').reverse().join(''), isReversed: true },
    ...[...new Set(others)].filter((text) => text !== plain).map((text) => ({ text, isReversed: false })),
  ]
}

/** Returns a text with the letters that digits and signs look like; `1`, `!` and `|` look like the one passed in. */
export function readDigits(text: string, one: 'l' | 'i'): string {
  return text.replace(/[0-9@$+(€!|]/g, (character) => letterFor[character] ?? one)
}

/** Returns a folded text with `é` as `e`, each letter in its place. */
export function withoutAccents(folded: string): string {
  return folded.replace(/[\u00c0-\u024f]/g, (letter) => letter.normalize('NFD').charAt(0))
}

function onLatinKey(letter: string): string {
  return latinKeys[cyrillicKeys.indexOf(letter)] ?? letter
}
