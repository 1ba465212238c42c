import { repeatedUnit } from './blocklist.ts'

const rows = [
  '1234567890',
  'qwertyuiop',
  'asdfghjkl',
  'zxcvbnm',
  'qwertzuiop',
  'yxcvbnm',
  'azertyuiop',
  'qsdfghjklm',
  'wxcvbn',
]

/** The pairs of keys that lie side by side, in both directions. */
const neighbours: ReadonlySet<string> = new Set(
  rows.flatMap((row) => [...row].slice(1).flatMap((key, index) => [`${row[index]}${key}`, `${key}${row[index]}`])),
)

/**
 * Tells whether a folded password can be written down as a few runs: one character again and again, the alphabet or
 * digits up or down, a row of the keyboard, or something short over and over.
 */
export function isPredictable(folded: string): boolean {
  const characters = [...folded]
  if ([...repeatedUnit(folded)].length * 2 <= characters.length && [...repeatedUnit(folded)].length < 8) return true
  let runs = 1
  for (const [index, character] of characters.entries()) {
    const before = characters[index - 1]
    if (before !== undefined && !follows(before, character)) runs++
  }
  return runs * 4 <= characters.length
}

function follows(before: string, character: string): boolean {
  const step = (character.codePointAt(0) ?? 0) - (before.codePointAt(0) ?? 0)
  return Math.abs(step) <= 1 || neighbours.has(before + character)
}
