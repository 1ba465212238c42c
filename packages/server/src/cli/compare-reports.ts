export interface ReportDifference {
  /** The first line of the report as it is now. */
  readonly header: string
  /** Lines of the stored report that are no longer true. */
  readonly removed: readonly string[]
  /** Lines that the stored report does not have. */
  readonly added: readonly string[]
  /** Both, by coordinate. */
  readonly lines: readonly { readonly sign: '-' | '+'; readonly line: string }[]
}

/**
 * Compares two reports as tables. How wide a column is says nothing about access: one long new rule would otherwise
 * change every line.
 */
export function compareReports(stored: string, current: string): ReportDifference {
  const before = linesOf(stored)
  const after = linesOf(current)
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

/** The cells of each line → the line as it stands. */
function linesOf(report: string): ReadonlyMap<string, string> {
  const lines = report.split(/\r?\n/).map((line) => line.trimEnd())
  return new Map(lines.filter((line) => line !== '').map((line) => [line.split(/ {2,}/).join('\t'), line]))
}

function nameOf(cells: string): string {
  return cells.slice(0, cells.indexOf('\t'))
}

function compare(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}
