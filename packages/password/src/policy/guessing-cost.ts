/** A part of a password that costs a guesser less than its characters one by one. */
export interface Segment {
  /** The smallest and the largest index after its last character: it costs the same with any end between them. */
  readonly firstEnd: number
  readonly lastEnd: number
  readonly bits: number
  /** The source of the guesser's knowledge: a rule, a list of common passwords, or the account. */
  readonly source: 'pattern' | 'common' | 'context'
}

/** The segments that begin at each index of a text. */
export type SegmentsByStart = readonly (readonly Segment[])[]

/** The cost of a character outside all segments: as much as a digit, because most letters belong to words. */
export const characterBits = 3.3
/** Signs mostly stand around words, and then the same ones again. */
const signBits = 2
const sameSignBits = 1

/** The number of guesses until a password is found, as a power of two, and the sources that were used to find it. */
export interface GuessingCost {
  readonly bits: number
  readonly sources: ReadonlySet<Segment['source']>
}

interface Step {
  readonly bits: number
  readonly start: number
  readonly source: Segment['source'] | null
}

/** Returns the least cost of a text: the sum over the cheapest way to put it together from segments and characters. */
export function guessingCost(text: string, found: readonly SegmentsByStart[]): GuessingCost {
  const steps: (Step | undefined)[] = [{ bits: 0, start: 0, source: null }]
  const reach = (start: number, end: number, added: number, source: Step['source']): void => {
    const bits = (steps[start]?.bits ?? 0) + added
    if (bits < (steps[end]?.bits ?? Number.POSITIVE_INFINITY)) steps[end] = { bits, start, source }
  }
  for (let start = 0; start < text.length; start++) {
    reach(start, start + 1, bitsOfCharacter(text, start), null)
    for (const { firstEnd, lastEnd, bits, source } of found.flatMap((segments) => segments[start] ?? [])) {
      for (let end = firstEnd; end <= lastEnd; end++) reach(start, end, bits, source)
    }
  }
  return { bits: steps[text.length]?.bits ?? 0, sources: sourcesOf(steps, text.length) }
}

function bitsOfCharacter(text: string, index: number): number {
  const character = text.charAt(index)
  if (!/[\s!-/:-@[-`{-~]/.test(character)) return characterBits
  return text.indexOf(character) < index ? sameSignBits : signBits
}

function sourcesOf(steps: readonly (Step | undefined)[], end: number): ReadonlySet<Segment['source']> {
  const sources = new Set<Segment['source']>()
  for (let step = steps[end]; step && step.bits > 0; step = steps[step.start]) if (step.source) sources.add(step.source)
  return sources
}
