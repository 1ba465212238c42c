import { readFile, writeFile } from 'node:fs/promises'
import { CommandFailure } from '../command-failure.ts'
import { htmlMark } from './access-html.ts'
import { type ReportForm, type ReportLines, readReportLines } from './report-lines.ts'

export interface StoredReport {
  readonly form: ReportForm
  readonly lines: ReportLines
}

/**
 * Reads a stored report.
 *
 * @param update the command that would store one.
 * @throws CommandFailure when the file holds no report.
 */
export async function readStoredReport(path: string, update: string): Promise<StoredReport> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new CommandFailure(`The stored report ${path} cannot be read.`, {
      exitCode: 2,
      next: `Store one: ${update}`,
      cause,
    })
  })
  const report = readReportLines(text)
  if (report) return report
  const next = 'Use a file that --write stored as text, as Markdown or as JSON.'
  const what = text.includes(htmlMark) ? 'is an HTML page' : 'is not a report'
  throw new CommandFailure(`${path} ${what}.`, { exitCode: 2, next })
}

/** @throws CommandFailure if the path is a file that is not a report: a typing error must not overwrite it. */
export async function requireReplaceable(path: string): Promise<void> {
  const old = await readFile(path, 'utf8').catch(() => null)
  if (old === null || isReport(old)) return
  throw new CommandFailure(`${path} is not a report, and would be overwritten.`, {
    exitCode: 2,
    next: 'Use a new file, or remove this one first.',
  })
}

/** @throws CommandFailure when the file cannot be written. */
export async function storeReport(path: string, text: string): Promise<void> {
  await writeFile(path, text).catch((cause: unknown) => {
    throw new CommandFailure(`${path} cannot be written.`, {
      exitCode: 1,
      next: 'The folder must exist and be writable.',
      cause,
    })
  })
}

function isReport(text: string): boolean {
  return readReportLines(text) !== null || text.includes(htmlMark)
}
