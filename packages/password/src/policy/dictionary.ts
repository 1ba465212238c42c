import type { Segment, SegmentsByStart } from './guessing-cost.ts'
import type { LeetVariant } from './leet-variants.ts'

/** The fewest characters of a word: shorter ones are found everywhere. */
const shortestWord = 3

/** Words that a guesser tries first, each with its cost. */
export interface Dictionary {
  /** Adds a word, unless it is too short to mean anything or is there already. */
  add(word: string, bits: number): void
  has(word: string): boolean
  /** Returns the words in any reading of a text. Takes time in proportion to its length. */
  find(leetVariants: readonly LeetVariant[]): SegmentsByStart
}

interface Word {
  readonly text: string
  readonly bits: number
}

export function createDictionary(source: Segment['source']): Dictionary {
  const byPrefix = new Map<string, Word[]>()
  const sharingPrefix = (text: string, start: number): readonly Word[] =>
    byPrefix.get(text.slice(start, start + shortestWord)) ?? []
  const occurrences = (text: string) =>
    Array.from({ length: text.length }, (_, start) =>
      sharingPrefix(text, start)
        .filter((word) => text.startsWith(word.text, start))
        .map((word) => ({ start, end: start + word.text.length, bits: word.bits })),
    ).flat()
  const has = (word: string): boolean => sharingPrefix(word, 0).some(({ text }) => text === word)

  return {
    has,
    add(word, bits) {
      if (word.length < shortestWord) return
      const prefix = word.slice(0, shortestWord)
      const words = byPrefix.get(prefix)
      if (!words) byPrefix.set(prefix, [{ text: word, bits }])
      else if (!words.some(({ text }) => text === word)) words.push({ text: word, bits })
    },
    find(leetVariants) {
      const found: Segment[][] = Array.from({ length: leetVariants[0]?.text.length ?? 0 }, () => [])
      for (const { text, isReversed } of leetVariants) {
        for (const { start, end, bits } of occurrences(text)) {
          const [from, to] = isReversed ? [text.length - end, text.length - start] : [start, end]
          found[from]?.push({ firstEnd: to, lastEnd: to, bits, source })
        }
      }
      return found
    },
  }
}
