import { commonPasswords } from './common-passwords.ts'
import { createDictionary, type Dictionary } from './dictionary.ts'
import { findCopies } from './find-copies.ts'
import { findDates } from './find-dates.ts'
import { findKeyboardPatterns } from './find-keyboard-patterns.ts'
import { type GuessingCost, guessingCost } from './guessing-cost.ts'
import { foldPassword, leetVariantsOf, withoutAccents } from './leet-variants.ts'
import { suggestedWords } from './suggested-words.ts'

/**
 * The number of characters that are judged: a password with cheap first characters is refused, regardless of the rest.
 */
const judgedCharacters = 128
const contextCharacters = 256

const knownWordBits = 1
const suggestedWordBits = 8
/** The additional cost of a password if the signs between its characters are ignored. */
const separatorBits = 3

/** All signs and white space, except for signs that are read as letters. */
const separators = /[\s"#%&')*,\-./:;<=>?[\\\]^_`{}~\u00b7\u2010-\u2015\u2022]+/g

/** The reason why a password is easy to guess: rules alone, a common password, or words of the account. */
export type Weakness = 'predictable' | 'common' | 'context'

/** Returns the reason why a well-formed password is easy to guess, or `null`. */
export type FindWeakness = (password: string, context: readonly string[]) => Weakness | null

export interface BlocklistOptions {
  /** The least number of characters of a password. */
  readonly minimumCharacters: number
  /** Words and passwords to know in addition to the common list. */
  readonly words: readonly string[]
}

let sharedCommon: Dictionary | undefined

/**
 * Creates a check that adds up what a password costs a guesser who knows common passwords, the words of the account, and
 * the rules by which people make longer passwords of short ones.
 */
export function createBlocklist({ minimumCharacters, words }: BlocklistOptions): FindWeakness {
  const leastBits = requiredBits(minimumCharacters)
  const own = createDictionary('common')
  for (const word of words) own.add(joined(word), knownWordBits)
  return (password, context) => {
    sharedCommon ??= createCommonDictionary()
    const dictionaries = [createContextDictionary(context), own, sharedCommon]
    const folded = foldPassword(password).slice(0, judgedCharacters)
    const { bits, sources } = cheaperSpelling(folded, dictionaries)
    if (bits >= leastBits) return null
    if (sources.has('context')) return 'context'
    return sources.has('common') ? 'common' : 'predictable'
  }
}

/** Returns the cost of a folded password, or its cost without the signs between its characters if that is less. */
function cheaperSpelling(folded: string, dictionaries: readonly Dictionary[]): GuessingCost {
  const cost = costOf(folded, dictionaries)
  const compact = folded.replace(separators, '')
  if (compact === folded) return cost
  const { bits, sources } = costOf(compact, dictionaries)
  return bits + separatorBits < cost.bits ? { bits: bits + separatorBits, sources } : cost
}

/** Returns the cost of a folded text to a guesser who knows these words. Takes time that its length bounds. */
export function costOf(folded: string, dictionaries: readonly Dictionary[]): GuessingCost {
  const leetVariants = leetVariantsOf(folded)
  const words = dictionaries.map((dictionary) => dictionary.find(leetVariants))
  return guessingCost(folded, [...words, findCopies(folded), findKeyboardPatterns(folded), findDates(folded)])
}

/**
 * Returns the cost that a password must have: 18 bits where at least 8 characters are required, 32 bits from 15 on. Random
 * characters cost more than 3 bits each, so that both leave room for chance.
 */
export function requiredBits(minimumCharacters: number): number {
  return Math.min(32, 2 * minimumCharacters + 2)
}

/** Returns the cost of the word at an index of the list, which begins with the most common one. */
export function bitsOfRank(index: number): number {
  return 1 + Math.log2(index + 1)
}

function createCommonDictionary(): Dictionary {
  const dictionary = createDictionary('common')
  for (const [index, word] of commonPasswords.trim().split(/\s+/).entries()) dictionary.add(word, bitsOfRank(index))
  for (const word of suggestedWords.trim().split(/\s+/)) dictionary.add(word, suggestedWordBits)
  return dictionary
}

/**
 * Returns the words of the account: each entry, and the words and letters in it, of `ada.l85@example.com` also `ada` and
 * `example`.
 */
function createContextDictionary(context: readonly string[]): Dictionary {
  const dictionary = createDictionary('context')
  for (const entry of context) {
    const folded = withoutAccents(foldPassword(entry.slice(0, contextCharacters)))
    for (const word of [joined(folded), ...folded.split(/[^\p{L}\p{N}]+/u), ...folded.split(/\P{L}+/u)]) {
      dictionary.add(word, knownWordBits)
    }
  }
  return dictionary
}

function joined(words: string): string {
  return withoutAccents(foldPassword(words)).replace(separators, '')
}
