import { linesOfText, type ReportLines } from './report-lines.ts'

export interface ReportDifference {
  /** The first line of the current report. */
  readonly header: string
  /** Lines of the stored report that are no longer true. */
  readonly removed: readonly string[]
  /** Lines that the stored report does not have. */
  readonly added: readonly string[]
  /** Both, by coordinate. */
  readonly lines: readonly { readonly sign: '-' | '+'; readonly line: string }[]
}

/** Compares a stored report with the current one, line by line. */
export function compareReports(before: ReportLines, current: string): ReportDifference {
  const after = linesOfText(current)
  const removed = [...before].filter(([cells]) => !after.has(cells))
  const added = [...after].filter(([cells]) => !before.has(cells))
  const signed = (sign: '-' | '+', lines: typeof removed) => lines.map(([cells, line]) => ({ sign, line, cells }))
  const lines = [...signed('-', removed), ...signed('+', added)].sort(
    (left, right) => compare(nameOf(left.cells), nameOf(right.cells)) || compare(right.sign, left.sign),
  )
  return {
    header: [...after.values()][0] ?? '',
    removed: removed.map(([, line]) => line),
    added: added.map(([, line]) => line),
    lines: lines.map(({ sign, line }) => ({ sign, line })),
  }
}

function nameOf(cells: string): string {
  return cells.slice(0, cells.indexOf('\t'))
}

function compare(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}
