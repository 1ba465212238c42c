/** The value below which a share of the samples lies. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((left, right) => left - right)
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(sorted.length * share) - 1))] ?? Number.NaN
}

export function median(samples: readonly number[]): number {
  return percentile(samples, 0.5)
}

/** The least, the median and the most. */
export function spread(samples: readonly number[]): { min: number; median: number; max: number } {
  return { min: percentile(samples, 0), median: median(samples), max: percentile(samples, 1) }
}

/** The median of each number over several rounds. */
export function medians<Row extends Record<string, number>>(rounds: readonly Row[]): Row {
  const [first] = rounds
  if (!first) throw new Error('there was no round')
  const entries = Object.keys(first).map((name) => [name, median(rounds.map((round) => round[name] ?? Number.NaN))])
  return Object.fromEntries(entries) as Row
}

/** Returns the median of the ratios of each round: a disturbance of a whole round does not change them. */
export function medianRatio(of: readonly number[] = [], to: readonly number[] = []): number {
  return median(of.map((figure, round) => figure / (to[round] ?? Number.NaN)))
}
