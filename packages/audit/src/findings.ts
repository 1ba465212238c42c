/** One thing that is not as it was written. */
export interface AuditFinding {
  /**
   * - `row.removed`: rows are missing between others, or at the beginning without having been pruned.
   * - `row.changed`: a row is not as it was written; it was changed, or forged.
   * - `row.moved`: a row is in another place than it was written.
   * - `row.unlinked`: a row does not follow the one before it.
   * - `row.unreadable`: a secret that is not among the given ones has signed it, so that it cannot be verified.
   * - `personal.changed`: the personal data of a row is not as it was written. Erased data is no finding.
   * - `chain.cut`: rows are missing at the end, by the head or by a checkpoint.
   * - `chain.emptied`: all rows of a chain are missing, and its head is there.
   * - `chain.missing`: a checkpoint names a chain that is not there.
   * - `chain.replaced`: a checkpoint names another row in that place.
   * - `head.missing`: there are rows of a chain, and its head is missing.
   * - `head.changed`: the head of a chain is not its last row.
   * - `checkpoint.forged`: this log did not write a given checkpoint.
   */
  readonly code:
    | 'row.removed'
    | 'row.changed'
    | 'row.moved'
    | 'row.unlinked'
    | 'row.unreadable'
    | 'personal.changed'
    | 'chain.cut'
    | 'chain.emptied'
    | 'chain.missing'
    | 'chain.replaced'
    | 'head.missing'
    | 'head.changed'
    | 'checkpoint.forged'
  /** `null`: a checkpoint that names none. */
  readonly chain: string | null
  /** The first and the last row that it is about; `null`: the whole chain. */
  readonly from: number | null
  readonly through: number | null
}

const sentences: Readonly<Record<AuditFinding['code'], string>> = {
  'row.removed': 'was removed',
  'row.changed': 'was changed or forged',
  'row.moved': 'stands in another place than the one it was written to',
  'row.unlinked': 'does not follow the row before it',
  'row.unreadable': 'was signed with a secret that is not among the given ones',
  'personal.changed': 'has other personal data than was written',
  'chain.cut': 'was cut off at the end',
  'chain.emptied': 'was emptied: its head is there, and none of its rows',
  'chain.missing': 'is missing: a checkpoint knows it',
  'chain.replaced': 'is not the row that a checkpoint knows in this place',
  'head.missing': 'has no head: it was removed',
  'head.changed': 'has a head that is not its last row',
  'checkpoint.forged': 'was not written by this log, or with a secret that is not among the given ones',
}

/**
 * Returns a finding as one sentence.
 *
 * @example
 * import { describeFinding } from '@latchkey/audit'
 * describeFinding({ code: 'row.removed', chain: 'A', from: 3, through: 5 }) // 'Each of the rows 3 to 5 of the chain A was removed.'
 */
export function describeFinding({ code, chain, from, through }: AuditFinding): string {
  return `${subjectOf({ chain, from, through })} ${sentences[code]}.`
}

function subjectOf({ chain, from, through }: Pick<AuditFinding, 'chain' | 'from' | 'through'>): string {
  if (chain === null) return from === null ? 'A given checkpoint' : `The given checkpoint ${from}`
  if (from === null) return `The chain ${chain}`
  if (through === null || through === from) return `Row ${from} of the chain ${chain}`
  return `Each of the rows ${from} to ${through} of the chain ${chain}`
}

/** The number of findings that are named; further findings are counted. */
const mostNamed = 1000

/** Collects findings. */
export interface Findings {
  add(code: AuditFinding['code'], chain: string | null, from?: number | null, through?: number | null): void
  readonly named: readonly AuditFinding[]
  count(): number
}

/** Creates a list that stays bounded whatever was done to the log. */
export function createFindings(): Findings {
  const named: AuditFinding[] = []
  let count = 0
  return {
    add(code, chain, from = null, through = from) {
      count++
      if (named.length < mostNamed) named.push({ code, chain, from, through })
    },
    named,
    count: () => count,
  }
}
