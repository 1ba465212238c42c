import type { PartRun, PeerFigure } from './part.ts'
import { median, spread } from './statistics.ts'
import type { Chart } from './table.ts'

/** The results of each way, one for each round. */
export type Rounds<Row> = Record<string, Row[]>

/** Measures every way once in each round, so that a disturbance of the machine affects all of them. */
export async function measureRounds<Row>(
  { rounds, progress }: Pick<PartRun, 'rounds' | 'progress'>,
  names: readonly string[],
  measure: (name: string) => Promise<Row>,
): Promise<Rounds<Row>> {
  const results: Rounds<Row> = Object.fromEntries(names.map((name) => [name, []]))
  for (let round = 1; round <= rounds; round++) {
    for (const name of names) {
      progress(`round ${round} of ${rounds}: ${name}`)
      results[name]?.push(await measure(name))
    }
  }
  return results
}

/** Alternates the order: the after-effects of a way do not always hit the same successor. */
export function orderOf<Item>(items: readonly Item[], turn: number): readonly Item[] {
  return turn % 2 === 0 ? items : items.toReversed()
}

/** The medians of every way as bars, with the least and the most. */
export function chartOfRounds(unit: string, figures: Rounds<number>): Chart {
  const bars = Object.entries(figures).map(([label, rounds]) => {
    const { median: value, min, max } = spread(rounds)
    return { label, values: [value], range: [min, max] as const }
  })
  return { unit, better: 'less', series: ['median'], bars }
}

/** The medians of some ways, for the promise that they are compared with. */
export function peersOf(figures: Rounds<number>, names: readonly string[]): PeerFigure[] {
  return names.map((name) => ({ name, measured: median(figures[name] ?? []) }))
}
