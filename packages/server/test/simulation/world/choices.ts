import { hash } from 'node:crypto'

/** The numbers that each move of a run drew. Those before the first move are the first entry. */
export type Moves = readonly (readonly number[])[]

/** The source of every decision of a run. Zero is always the simplest: the oldest call, no fault, the first habit. */
export interface Choices {
  /** Returns a whole number from 0 up to, but not including, the limit. */
  readonly below: (limit: number) => number
  /** Whether something with this chance, in percent, happens. */
  readonly chance: (percent: number) => boolean
  /** Starts the numbers of the next move. */
  readonly nextMove: () => void
  readonly moves: Moves
}

/** Decisions that follow from a seed. */
export function drawChoices(seed: string): Choices {
  let state = hash('sha256', seed, 'buffer').readUInt32LE()
  return record((limit) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  })
}

/** The decisions of an earlier run, move by move; after their end always the simplest. */
export function repeatChoices(moves: Moves): Choices {
  return record((limit, move, place) => Math.min(moves[move]?.[place] ?? 0, limit - 1))
}

function record(draw: (limit: number, move: number, place: number) => number): Choices {
  let current: number[] = []
  const moves = [current]
  const below = (limit: number): number => {
    if (limit <= 1) return 0
    const number = draw(limit, moves.length - 1, current.length)
    current.push(number)
    return number
  }
  return {
    below,
    chance: (percent) => below(100) >= 100 - percent,
    nextMove() {
      current = []
      moves.push(current)
    },
    moves,
  }
}

/** Writes decisions as a text that `readMoves` reads: moves with commas between, numbers with points. */
export function writeMoves(moves: Moves): string {
  return moves.map((numbers) => numbers.join('.').replace(/(^|\.)0(\.0)*$/, '')).join(',')
}

export function readMoves(text: string): Moves {
  return text
    .split(',')
    .map((numbers) => (numbers === '' ? [] : numbers.split('.').map((number) => Number(number) || 0)))
}
