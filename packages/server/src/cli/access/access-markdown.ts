import type { AccessReport } from '@latchkey/graphql'
import { countOutcomes, coverageOf, errorRows, outcomes } from './access-summary.ts'

/** Writes a report as Markdown (GitHub Flavored Markdown §4.10): the matrix, then how often each role has each outcome. */
export function toMarkdown(report: AccessReport): string {
  const { rows, columns } = report
  const matrix = rows.map(({ coordinate, rule, outcomes: of }) => [
    code(coordinate),
    escapeMarkdown(rule),
    ...columns.map((name) => of[name] ?? ''),
  ])
  const [errorHeader, ...errors] = errorRows(report)
  const coverage = columns.map((name) => [escapeMarkdown(name), ...countOutcomes(report, name).map(String)])
  return [
    '# Access',
    `${coverageOf(report)}.`,
    table(['Coordinate', 'Rule', ...columns.map(escapeMarkdown)], matrix),
    ...(errorHeader
      ? [
          '## Errors',
          table(
            errorHeader,
            errors.map(([name = '', ...cells]) => [code(name), ...cells.map(escapeMarkdown)]),
          ),
        ]
      : []),
    '## By role',
    table(['Role', ...outcomes.map(([outcome]) => outcome)], coverage),
    outcomes.map(([outcome, meaning]) => `- \`${outcome}\`: ${meaning}`).join('\n'),
    '',
  ].join('\n\n')
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n')
}

/** A GraphQL name holds no character that could end a code span. */
function code(name: string): string {
  return `\`${name}\``
}

/** A pipe would end the cell; tags and emphasis are meant literally. */
function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_[\]<>|&]/g, (character) => `\\${character}`).replace(/\s+/g, ' ')
}
