/** The middle of the figures of all rounds. */
export function medianOf(figures: readonly number[]): number {
  const sorted = figures.toSorted((left, right) => left - right)
  return sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN
}

/** With three digits, and more only where the whole number has more. */
export function writeFigure(figure: number): string {
  if (!Number.isFinite(figure)) return '–'
  return Math.abs(figure) >= 100 ? String(Math.round(figure)) : String(Number(figure.toPrecision(3)))
}

/** A table in Markdown. */
export function writeTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const writeRow = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  return [writeRow(head), writeRow(widths.map((width) => '-'.repeat(width))), ...rows.map(writeRow)].join('\n')
}
