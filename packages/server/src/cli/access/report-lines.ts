import { errorRows } from './access-summary.ts'

/** The cells of each line, joined by tabs → the printed line. The first line is the header. */
export type ReportLines = ReadonlyMap<string, string>

/** Reads the matrix of a report in any of the stored forms. `null`: the text is not a report. */
export function readReportLines(text: string): { readonly form: ReportForm; readonly lines: ReportLines } | null {
  if (/^\s*Coordinate\s+Rule\s/.test(text)) return { form: 'text', lines: linesOfText(text) }
  if (markdownHeader.test(text)) return { form: 'markdown', lines: linesOfMarkdown(text) }
  const lines = linesOfJson(text)
  return lines && { form: 'json', lines }
}

/** Also matches a header whose columns a formatter has aligned. */
const markdownHeader = /^\| *Coordinate *\| *Rule *\|/m

export type ReportForm = 'text' | 'markdown' | 'json'

/** The width of a column is ignored: otherwise one long new rule would change every line. */
export function linesOfText(report: string): ReportLines {
  const lines = report.split(/\r?\n/).map((line) => line.trimEnd())
  return new Map(lines.filter((line) => line !== '').map((line) => [line.split(/ {2,}/).join('\t'), line]))
}

/** The matrix and the errors: not the table of the roles, which counts what the matrix says. */
function linesOfMarkdown(report: string): ReportLines {
  const tables = report.split(/\r?\n(?!\|)/).map((part) => part.split(/\r?\n/).filter((line) => line.startsWith('|')))
  const kept = tables.filter(([header = '']) => markdownHeader.test(header) || /^\| *Error code *\|/.test(header))
  const rows = kept.flatMap((table) => table.filter((_line, index) => index !== 1))
  return new Map(rows.map((line) => [cellsOfMarkdown(line).join('\t'), line]))
}

function cellsOfMarkdown(line: string): readonly string[] {
  const cells = line.split(/(?<!\\)\|/).slice(1, -1)
  return cells.map((cell) =>
    cell
      .trim()
      .replace(/^`(.*)`$/, '$1')
      .replace(/\\(.)/g, '$1'),
  )
}

interface StoredRow {
  readonly coordinate: string
  readonly rule: string
  readonly outcomes: Readonly<Record<string, string>>
}

function linesOfJson(text: string): ReportLines | null {
  const { columns, rows, errors = [] } = parse(text)
  if (!Array.isArray(columns) || !Array.isArray(rows) || !Array.isArray(errors)) return null
  const lines = (rows as readonly Partial<StoredRow>[]).map((row) => [
    String(row.coordinate),
    String(row.rule),
    ...columns.map((name) => String(row.outcomes?.[String(name)])),
  ])
  const all = [['Coordinate', 'Rule', ...columns], ...lines, ...errorRows({ errors })]
  return new Map(all.map((cells) => [cells.join('\t'), cells.join('  ')]))
}

function parse(text: string): { readonly columns?: unknown; readonly rows?: unknown; readonly errors?: unknown } {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}
