/** A table with its title and head. */
export interface Table {
  readonly title: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
  /** The figures of the table that are worth a picture; omitted: its second column; `null`: none. */
  readonly chart?: Chart | null
}

/** A chart with a group of bars for each row of a table. */
export interface Chart {
  readonly unit: string
  readonly better: 'less' | 'more'
  /** The names of the bars of a group, from top to bottom. */
  readonly series: readonly string[]
  readonly bars: readonly Bar[]
}

export interface Bar {
  readonly label: string
  /** One for each of the series. */
  readonly values: readonly number[]
  /** The smallest and the largest measured value, for a single series. */
  readonly range?: readonly [least: number, most: number]
}

/** Returns a table in Markdown with padded columns. */
export function formatTable({ head, rows }: Pick<Table, 'head' | 'rows'>): string {
  const widths = head.map((cell, column) => Math.max(cell.length, ...rows.map((row) => (row[column] ?? '').length)))
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}

/** Formats a number with three digits, or all digits of a longer whole number. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return '–'
  return Math.abs(value) >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)))
}

export function formatRatio(value: number): string {
  return `${formatNumber(value)} ×`
}

/** Returns the chart of a table: its own, or a chart of its second column if it has figures. */
export function chartOf({ head, rows, chart }: Table): Chart | null {
  if (chart !== undefined) return chart
  const bars = rows.map(([label = '', figure = '']) => ({
    label,
    values: [figure === '' ? Number.NaN : Number(figure)],
  }))
  if (bars.length === 0 || bars.some(({ values: [value] }) => !Number.isFinite(value))) return null
  return { unit: head[1] ?? '', better: 'less', series: ['median'], bars }
}
