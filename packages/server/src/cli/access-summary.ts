import type { AccessOutcome, AccessReport } from '@latchkey/graphql'

/** What each cell of the matrix means, in the order of how much it lets in. */
export const outcomes: readonly (readonly [outcome: AccessOutcome, meaning: string])[] = [
  ['yes', 'may'],
  ['own', 'may with what they own themselves'],
  ['step-up', 'may after showing a second factor'],
  ['401', 'may not: has to sign in'],
  ['403', 'may not'],
]

/** The table exists only where every coordinate has a rule. */
export function coverageOf({ rows }: Pick<AccessReport, 'rows'>): string {
  return `${rows.length} coordinates, ${rows.length} rules, 0 gaps`
}

/** Of one column of the matrix, how many coordinates have each outcome. */
export function countOutcomes({ rows }: Pick<AccessReport, 'rows'>, column: string): readonly number[] {
  return outcomes.map(([outcome]) => rows.filter((row) => row.outcomes[column] === outcome).length)
}
