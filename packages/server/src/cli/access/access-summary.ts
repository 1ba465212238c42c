import type { AccessReport } from '@latchkey/graphql'

/** The meaning of each cell of the matrix, from the most access to none. */
export const outcomes: readonly (readonly [
  outcome: AccessReport['rows'][number]['outcomes'][string],
  meaning: string,
])[] = [
  ['yes', 'may'],
  ['own', 'may with what they own'],
  ['step-up', 'may after a recent proof of a factor, as the rule says'],
  ['null', 'may, and the field is null'],
  ['401', 'must sign in'],
  ['403', 'may not'],
]

/** Returns the declared error codes as the rows of a table; empty: none are declared. */
export function errorRows({ errors }: Pick<AccessReport, 'errors'>): readonly (readonly string[])[] {
  if (errors.length === 0) return []
  const rows = errors.map(({ code, status, expose }) => [code, String(status), expose.join(', ') || 'none'])
  return [['Error code', 'Status', 'Exposed'], ...rows]
}

/** A report without a rule for every coordinate cannot exist, so the gaps are always 0. */
export function coverageOf({ rows }: Pick<AccessReport, 'rows'>): string {
  return `${rows.length} coordinates, ${rows.length} rules, 0 gaps`
}

/** Returns how many coordinates have each outcome in one column of the matrix. */
export function countOutcomes({ rows }: Pick<AccessReport, 'rows'>, column: string): readonly number[] {
  return outcomes.map(([outcome]) => rows.filter((row) => row.outcomes[column] === outcome).length)
}
