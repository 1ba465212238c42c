import type { Segment, SegmentsByStart } from './guessing-cost.ts'
import { keyPositions, rowStep } from './keyboard-layouts.ts'

/** The fewest characters of a copy: two of a kind are found everywhere. */
const shortestCopy = 3
/** How far back a copy may reach whose characters are not the same but the next ones. */
const nextOffset = 10
const mostBits = 16

/** Whether one character follows from another, by their codes or by the positions of their keys. */
type Follows = (before: number, now: number) => boolean

/** For each cost in bits, the length of the longest copy that starts at each index. */
type LongestCopies = readonly Uint16Array[]

/**
 * Returns the parts of a text that follow from the characters at a fixed distance before them: a repetition (`abcabc`),
 * a repetition with digits counted up (`a1a2a3`), each character moved one further in the alphabet (`abcd`, `1a2b3c`),
 * or one key further in a row or a column of the keyboard (`qwerty`, `1q2w3e`, `1qaz2wsx`). A greater distance costs
 * more. Takes time in proportion to the square of the length.
 */
export function findCopies(text: string): SegmentsByStart {
  const longest: LongestCopies = Array.from({ length: mostBits }, () => new Uint16Array(text.length))
  const codes = text.split('').map((character) => character.charCodeAt(0))
  noteCopies(longest, codes, isSame, { extraBits: 0, furthest: codes.length })
  noteCopies(longest, codes, isCountedUp, { extraBits: 1, furthest: codes.length })
  for (const step of [1, -1]) noteCopies(longest, codes, isFurtherBy(step), { extraBits: 1, furthest: nextOffset })
  for (const step of [2, -2]) noteCopies(longest, codes, isFurtherBy(step), { extraBits: 1, furthest: 1 })
  for (const keys of keyPositions(text)) {
    for (const step of [1, -1, rowStep, -rowStep]) {
      noteCopies(longest, keys, isFurtherBy(step), { extraBits: 1, furthest: nextOffset })
    }
  }
  return codes.map((_, start) => copiesAt(longest, start))
}

const isSame: Follows = (before, now) => before === now

const isCountedUp: Follows = (before, now) => (isDigit(now) ? now - before === 1 && isDigit(before) : now === before)

const isFurtherBy =
  (step: number): Follows =>
  (before, now) =>
    now - before === step

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

function noteCopies(
  longest: LongestCopies,
  values: readonly number[],
  follows: Follows,
  { extraBits, furthest }: { readonly extraBits: number; readonly furthest: number },
): void {
  for (let offset = 1; offset <= Math.min(furthest, values.length - 1); offset++) {
    const lengths = longest[3 + extraBits + Math.ceil(Math.log2(offset))]
    let length = 0
    for (let index = values.length - 1; lengths && index >= offset; index--) {
      length = follows(values[index - offset] ?? Number.NaN, values[index] ?? Number.NaN) ? length + 1 : 0
      lengths[index] = Math.max(lengths[index] ?? 0, length)
    }
  }
}

/** A dearer copy counts only if it is longer than every cheaper copy. */
function copiesAt(longest: LongestCopies, start: number): readonly Segment[] {
  let reached = shortestCopy - 1
  return longest.flatMap((lengths, bits) => {
    const length = lengths[start] ?? 0
    if (length <= reached) return []
    const firstEnd = start + reached + 1
    reached = length
    return [{ firstEnd, lastEnd: start + length, bits, source: 'pattern' as const }]
  })
}
