import { createHash } from 'node:crypto'

/** The source of every decision of a run. Zero is always the simplest: the oldest call, no fault, the first habit. */
export interface Choices {
  /** Returns a whole number from 0 up to, but not including, the limit. */
  readonly below: (limit: number) => number
  /** Whether something with this chance, in percent, happens. */
  readonly chance: (percent: number) => boolean
  /** What was drawn so far, each number below its limit. */
  readonly drawn: readonly number[]
}

/** Decisions that follow from a seed. */
export function drawChoices(seed: string): Choices {
  let state = createHash('sha256').update(seed).digest().readUInt32LE()
  return record((limit) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  })
}

/** The decisions of an earlier run; after its end always the simplest. */
export function repeatChoices(numbers: readonly number[]): Choices {
  let next = 0
  return record((limit) => Math.min(numbers[next++] ?? 0, limit - 1))
}

function record(draw: (limit: number) => number): Choices {
  const drawn: number[] = []
  const below = (limit: number): number => {
    const number = limit > 1 ? draw(limit) : 0
    if (limit > 1) drawn.push(number)
    return number
  }
  return { below, chance: (percent) => below(100) >= 100 - percent, drawn }
}

/** Bytes that follow from a seed, for keys and tokens. */
export function createBytes(seed: string): (length: number) => Uint8Array {
  let count = 0
  let left: Buffer = Buffer.alloc(0)
  return (length) => {
    while (left.length < length)
      left = Buffer.concat([left, createHash('sha512').update(`${seed} ${count++}`).digest()])
    const bytes = left.subarray(0, length)
    left = left.subarray(length)
    return bytes
  }
}
