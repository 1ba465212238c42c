import { parseArgs } from 'node:util'
import type { AccessReport } from '@latchkey/graphql'
import { CommandFailure } from '../command-failure.ts'
import { findAccess } from '../find-access.ts'
import { importFile } from '../import-file.ts'
import type { Command, CommandAnswer } from '../run-command.ts'
import { toHtml } from './access-html.ts'
import { toMarkdown } from './access-markdown.ts'
import { coverageOf } from './access-summary.ts'
import { compareReports, type ReportDifference } from './compare-reports.ts'
import { readStoredReport, requireReplaceable, type StoredReport, storeReport } from './stored-report.ts'

const name = 'access'

const help = `usage: latchkey access <file> [--json | --markdown | --html] [--check <report> | --write <report>]

Prints the rule of every coordinate of the schema, which roles may use it, and the declared error codes.

<file> is the module, in JavaScript or TypeScript, that exports \`server\` (of createServer) or \`access\` (of compileAccess);
package.json may name it instead: "latchkey": { "server": "server.ts" }. Importing it must not start the service: latchkey serve
does that.

  --check <report>  compares with a report that --write stored as text, Markdown or JSON, and prints the difference: for a
                    test, or a step of a pipeline
  --write <report>  stores the report, to be committed and reviewed
  --json            prints { columns, rows, errors }, with --check also difference: { removed, added }
  --markdown        prints the matrix and the roles as Markdown
  --html            prints them as one page, without scripts
  --help            this text

Exit code
  0  every coordinate has a rule, and the stored report is the same
  1  coordinates without a rule, a file that cannot be imported, or a difference from the stored report
  2  wrong arguments: the file does not exist, an unknown option, the file exports no \`server\` and no \`access\``

/** `latchkey access <file>` */
export const accessCommand: Command = {
  name,
  summary: 'the rule of every coordinate, and which roles may use it',
  help,
  async run(args, note) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        json: { type: 'boolean' },
        markdown: { type: 'boolean' },
        html: { type: 'boolean' },
        check: { type: 'string' },
        write: { type: 'string' },
      },
    })
    const { check, write } = values
    const format = formatOf(values)
    if (check !== undefined && write !== undefined) {
      throw misused('--check and --write cannot be used together: one compares, the other replaces')
    }
    if (check !== undefined) return checkReport(positionals, check, format, note)
    if (write !== undefined) await requireReplaceable(write)
    const report = await reportOf(positionals)
    const printed = formats[format](report)
    if (write === undefined) return { text: printed, exitCode: 0 }
    await storeReport(write, format === 'text' ? report.text : printed)
    note(`wrote ${write}`)
    return { text: format === 'text' ? printed : `${coverageOf(report)}\n`, exitCode: 0 }
  },
}

const formats = {
  text: (report: AccessReport) => `${report.text}${coverageOf(report)}\n`,
  json: (report: AccessReport) => toJson(report),
  markdown: toMarkdown,
  html: toHtml,
}
type Format = keyof typeof formats

function formatOf(given: { readonly [format in Format]?: boolean }): Format {
  const asked = (['json', 'markdown', 'html'] as const).filter((format) => given[format])
  const [format = 'text', ...others] = asked
  if (others.length > 0) throw misused(`--${asked.join(' and --')} cannot be used together`)
  return format
}

function misused(problem: string): CommandFailure {
  return new CommandFailure(`latchkey access: ${problem}.`, { exitCode: 2, next: 'See: latchkey access --help' })
}

async function reportOf(files: readonly string[]): Promise<AccessReport> {
  const [file, exports] = await importFile(name, files)
  const access = findAccess(file, exports)
  const { reportAccess } = await import('@latchkey/graphql')
  return reportAccess(access)
}

async function checkReport(
  files: readonly string[],
  path: string,
  format: Format,
  note: (line: string) => void,
): Promise<CommandAnswer> {
  if (format === 'markdown' || format === 'html') throw misused('--check prints its difference as text or with --json')
  const update = `latchkey access ${files[0] ?? '<file>'} --write ${path}`
  const stored = await readStoredReport(path, update)
  const report = await reportOf(files)
  const difference = compareReports(stored.lines, report.text)
  const isEqual = difference.lines.length === 0
  if (!isEqual) note(`The access differs from ${path}. If that is intended: ${update}${optionOf(stored)}`)
  const words = isEqual ? `${coverageOf(report)}, the same as in ${path}` : printDifference(difference)
  return { text: format === 'json' ? toJson(report, difference) : `${words}\n`, exitCode: isEqual ? 0 : 1 }
}

/** Returns the option that stores the report in the form that it has. */
function optionOf({ form }: StoredReport): string {
  return form === 'text' ? '' : ` --${form}`
}

function printDifference({ header, lines }: ReportDifference): string {
  return [`  ${header}`, ...lines.map(({ sign, line }) => `${sign} ${line}`)].join('\n')
}

function toJson({ columns, rows, errors }: AccessReport, difference?: ReportDifference): string {
  const found = difference && { removed: difference.removed, added: difference.added }
  return `${JSON.stringify({ columns, rows, errors, difference: found }, null, 2)}\n`
}
