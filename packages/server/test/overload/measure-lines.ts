import { hostileLines } from './hostile-lines.ts'
import { type Neighbourhood, type Neighbours, type Spread, startNeighbours } from './measure-neighbour.ts'

/** What honest requests take, the medians of three measurements each. */
export interface MeasuredLine {
  readonly what: string
  readonly alone: Spread
  readonly beside: Spread
  /** How many times as long the slowest hundredth takes, the median of three. */
  readonly slowdown: number
}

/** Measures the lines one after the other. */
export async function measureLines(measured: (line: MeasuredLine) => void): Promise<void> {
  const neighbours = await startNeighbours()
  try {
    for (const [index, { what }] of hostileLines.entries()) measured(await measureLine(neighbours, index, what))
  } finally {
    neighbours.close()
  }
}

async function measureLine(neighbours: Neighbours, index: number, what: string): Promise<MeasuredLine> {
  const rounds: Neighbourhood[] = []
  for (let round = 0; round < 3; round++) {
    rounds.push(await neighbours.measure(index, { requests: 500, settleMs: 1_500 }))
  }
  const spread = (of: 'alone' | 'beside'): Spread => ({
    p50: median(rounds.map((round) => round[of].p50)),
    p99: median(rounds.map((round) => round[of].p99)),
  })
  return {
    what,
    alone: spread('alone'),
    beside: spread('beside'),
    slowdown: median(rounds.map(({ alone, beside }) => beside.p99 / alone.p99)),
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}
