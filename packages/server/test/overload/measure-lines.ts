import { hostileLines } from './hostile-lines.ts'
import { type Neighbourhood, type Spread, startNeighbours } from './measure-neighbour.ts'

/** What honest requests take, the medians of three measurements each. */
export interface MeasuredLine {
  readonly what: string
  readonly alone: Spread
  readonly beside: Spread
  /** How many times as long the slowest hundredth takes, the median of three. */
  readonly slowdown: number
}

export interface MeasuringLines {
  /** Measures only the lines whose names contain one of these. */
  readonly only?: readonly string[]
  /** Is called before each line. */
  readonly onBegin?: (place: string, what: string) => void
  readonly onMeasured: (line: MeasuredLine) => void
}

/** Measures the lines one after the other. Rejects when the service or the attacker ends, or no longer answers. */
export async function measureLines({ only = [''], onBegin, onMeasured }: MeasuringLines): Promise<void> {
  const lines = [...hostileLines.entries()].filter(([, { what }]) => only.some((part) => what.includes(part)))
  const neighbours = await startNeighbours()
  try {
    for (const [place, [index, { what }]] of lines.entries()) {
      onBegin?.(`${place + 1}/${lines.length}`, what)
      const rounds: Neighbourhood[] = []
      for (let round = 0; round < 3; round++) rounds.push(await neighbours.measure(index, 400))
      onMeasured(summarize(what, rounds))
    }
  } finally {
    neighbours.close()
  }
}

/** The row of a line in the table of docs/overload.md. */
export function tableRow({ what, alone, beside, slowdown }: MeasuredLine): string {
  const figures = [alone.p50, beside.p50, alone.p99, beside.p99, slowdown].map((figure) => figure.toFixed(2))
  return `| ${[what, ...figures].join(' | ')} |`
}

function summarize(what: string, rounds: readonly Neighbourhood[]): MeasuredLine {
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
