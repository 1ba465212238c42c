import type { PartRun } from './part.ts'

/** The results of each way, one for each round. */
export type Rounds<Row> = Record<string, Row[]>

/** Every way once in each round: what disturbs the machine disturbs all of them. */
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
