import type { AccessReport } from '@latchkey/graphql'
import { escapeHtml } from '@latchkey/http'
import { accessStyle } from './access-style.ts'
import { countOutcomes, coverageOf, errorRows, outcomes } from './access-summary.ts'

/** Marks a page as a report of this command. */
export const htmlMark = '<meta name="generator" content="latchkey access">'

/**
 * Writes a report as one HTML page without scripts or external resources. Colours are accompanied by text, and cells
 * have headers (WCAG 2.2, 1.3.1 and 1.4.1).
 */
export function toHtml(report: AccessReport): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">
${htmlMark}
<title>Access: who may do what</title>
<style>
${accessStyle}</style>
</head>
<body>
<main>
<h1>Access</h1>
<p class="coverage">${escapeHtml(coverageOf(report))}</p>
<h2 id="roles">By role</h2>
${rolesTable(report)}
<h2 id="meaning">What the words mean</h2>
<dl>
${outcomes.map(([outcome, meaning]) => `<div><dt>${mark(outcome)}</dt><dd>${meaning}</dd></div>`).join('\n')}
</dl>
<h2 id="matrix">By coordinate</h2>
${matrixTable(report)}
${errorsTable(report)}</main>
</body>
</html>
`
}

function rolesTable(report: AccessReport): string {
  const header = ['Role', ...outcomes.map(([outcome]) => outcome)]
  const rows = report.columns.map(
    (name) =>
      `<tr><th scope="row">${escapeHtml(name)}</th>${countOutcomes(report, name)
        .map((count) => `<td class="count">${count}</td>`)
        .join('')}</tr>`,
  )
  return framed(
    'roles',
    'How many coordinates each role may reach, and how',
    headerRow(header),
    `<tbody>\n${rows.join('\n')}\n</tbody>`,
  )
}

function matrixTable({ rows, columns }: AccessReport): string {
  const types = [...Map.groupBy(rows, ({ coordinate }) => coordinate.split('.')[0] ?? '')]
  const bodies = types.map(([type, ofType]) => {
    const span = `<tr class="type"><th scope="rowgroup" colspan="${columns.length + 2}">${escapeHtml(type)}</th></tr>`
    return `<tbody>\n${span}\n${ofType.map((row) => matrixRow(row, columns)).join('\n')}\n</tbody>`
  })
  const caption = 'The rule of each coordinate, and the outcome for an account with one role only'
  return framed('matrix', caption, headerRow(['Coordinate', 'Rule', ...columns]), bodies.join('\n'))
}

function errorsTable(report: AccessReport): string {
  const [header, ...errors] = errorRows(report)
  if (!header) return ''
  const rows = errors.map(
    ([code = '', ...cells]) =>
      `<tr><th scope="row"><code>${escapeHtml(code)}</code></th>${cells.map((cell) => `<td>${escapeHtml(cell)}</td>`).join('')}</tr>`,
  )
  const body = `<tbody>\n${rows.join('\n')}\n</tbody>`
  const caption = 'The status of each code, and the details that are sent with it'
  return `<h2 id="errors">Errors of the application</h2>\n${framed('errors', caption, headerRow(header), body)}\n`
}

function matrixRow(
  { coordinate, rule, outcomes: of }: AccessReport['rows'][number],
  columns: readonly string[],
): string {
  const cells = columns.map((name) => `<td>${mark(of[name] ?? '')}</td>`).join('')
  return `<tr><th scope="row"><code>${escapeHtml(coordinate)}</code></th><td class="rule">${escapeHtml(rule)}</td>${cells}</tr>`
}

/** A wide table scrolls in its frame, also by keyboard. */
function framed(labelledBy: string, caption: string, head: string, bodies: string): string {
  return `<div class="frame" role="region" aria-labelledby="${labelledBy}" tabindex="0">
<table>
<caption>${caption}</caption>
${head}
${bodies}
</table>
</div>`
}

function headerRow(names: readonly string[]): string {
  return `<thead><tr>${names.map((name) => `<th scope="col">${escapeHtml(name)}</th>`).join('')}</tr></thead>`
}

function mark(outcome: string): string {
  return `<span class="outcome o-${escapeHtml(outcome)}">${escapeHtml(outcome)}</span>`
}
