import { characterBits, type Segment, type SegmentsByStart } from './guessing-cost.ts'
import { keyPositions, rowStep } from './keyboard-layouts.ts'

const walkBits = characterBits + 3
const turnBits = 2
const shortestWalk = 3

/** The distances of adjacent keys: each lower row is offset by half a key to the right. */
const steps: ReadonlySet<number> = new Set([1, -1, rowStep, rowStep - 1, -rowStep, 1 - rowStep])

/** Returns the parts of a text that a finger types from key to neighbouring key; each turn costs the guesser more. */
export function findKeyboardPatterns(text: string): SegmentsByStart {
  const layouts = keyPositions(text)
  return Array.from({ length: text.length }, (_, start) => layouts.flatMap((keys) => walksFrom(keys, start)))
}

function walksFrom(keys: readonly number[], start: number): Segment[] {
  const walks: Segment[] = []
  let bits = walkBits
  let direction = Number.NaN
  for (let end = start + 2; end <= keys.length; end++) {
    const step = (keys[end - 1] ?? Number.NaN) - (keys[end - 2] ?? Number.NaN)
    if (!steps.has(step)) break
    if (end > start + 2 && step !== direction) bits += turnBits
    direction = step
    if (end - start >= shortestWalk) walks.push({ firstEnd: end, lastEnd: end, bits, source: 'pattern' })
  }
  return walks
}
