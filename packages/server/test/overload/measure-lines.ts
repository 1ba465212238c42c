import { hostileLines } from './hostile-lines.ts'
import { type Neighbourhood, startNeighbours } from './measure-neighbour.ts'

/** What honest requests take beside one line, the medians of all rounds, in milliseconds. */
export interface MeasuredLine {
  readonly what: string
  readonly byDefault: Slowdown
  readonly withQueue: Slowdown
}

export interface Slowdown {
  readonly besideP99: number
  /** How many times as long the median, and the slowest hundredth, take as alone. */
  readonly p50: number
  readonly p99: number
}

export interface MeasuringLines {
  /** Measures only the lines whose names contain one of these. */
  readonly only?: readonly string[]
  readonly rounds?: number
  /** Is called before each line. */
  readonly onBegin?: (place: string, what: string) => void
  readonly onMeasured: (line: MeasuredLine) => void
}

/**
 * Measures the lines one after the other, on a service without and with a fair queue in alternation. Rejects when a service or
 * an attacker ends, or no longer answers.
 */
export async function measureLines({ only = [''], rounds = 3, onBegin, onMeasured }: MeasuringLines): Promise<void> {
  const lines = [...hostileLines.entries()].filter(([, { what }]) => only.some((part) => what.includes(part)))
  const [plain, queued] = [await startNeighbours(false), await startNeighbours(true)]
  try {
    for (const [place, [index, { what }]] of lines.entries()) {
      onBegin?.(`${place + 1}/${lines.length}`, what)
      const [byDefault, withQueue]: [Neighbourhood[], Neighbourhood[]] = [[], []]
      for (let round = 0; round < rounds; round++) {
        byDefault.push(await plain.measure(index, 400))
        withQueue.push(await queued.measure(index, 400))
      }
      onMeasured({ what, byDefault: summarize(byDefault), withQueue: summarize(withQueue) })
    }
  } finally {
    plain.close()
    queued.close()
  }
}

/** The row of a line in the table of docs/overload-measured.md. */
export function tableRow({ what, byDefault, withQueue }: MeasuredLine): string {
  const cells = [byDefault, withQueue].flatMap(({ besideP99, p50, p99 }) => [p50, p99, besideP99])
  return `| ${[what, ...cells.map((figure) => figure.toFixed(2))].join(' | ')} |`
}

function summarize(rounds: readonly Neighbourhood[]): Slowdown {
  return {
    besideP99: median(rounds.map(({ beside }) => beside.p99)),
    p50: median(rounds.map(({ alone, beside }) => beside.p50 / alone.p50)),
    p99: median(rounds.map(({ alone, beside }) => beside.p99 / alone.p99)),
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}
