import { writeMachine } from '../machine.ts'
import type { Target } from '../part.ts'
import { type Chart, chartOf, formatNumber, formatTable } from '../table.ts'
import { describeChart } from './chart.ts'
import type { Result } from './result.ts'

/** The name of the section with the summary of all promises. */
export const summaryName = 'promises'

const opening = (name: string): string => `<!-- measured: ${name} -->`
const closing = '<!-- end of measured -->'

/** The names of the sections of a document that are written from results. */
export function sectionNames(text: string): readonly string[] {
  return [...text.matchAll(/<!-- measured: ([\w-]+) -->/g)].map(([, name = '']) => name)
}

/** Returns the document with other words between the marks of one section. */
export function replaceSection(text: string, name: string, words: string): string {
  const start = text.indexOf(opening(name))
  const end = text.indexOf(closing, start)
  if (start < 0 || end < 0) throw new Error(`the document has no section ${name}`)
  return `${text.slice(0, start + opening(name).length)}\n\n${words}\n\n${text.slice(end)}`
}

/** The file of a chart, from the folder of the documents. */
export function chartFile(part: string, table: number): string {
  return `charts/${part}${table === 0 ? '' : `-${table + 1}`}.svg`
}

/** Returns the section of a part: its machine, each table with its chart, and the outcome of its promises. */
export function writeSection(part: string, { machine, rounds, seconds, tables, targets }: Result): string {
  const length = `${rounds} ${rounds === 1 ? 'round' : 'rounds of each way'}, ${seconds} s.`
  const shown = tables.flatMap((table, index) => {
    const chart = chartOf(table)
    const picture = chart && `![${writeAlternative(table.title, chart)}](${chartFile(part, index)})`
    return [`${table.title}.`, formatTable(table), ...(picture === null ? [] : [picture])]
  })
  return [`${writeMachine(machine)}. ${length}`, ...shown, ...writeTargets(targets)].join('\n\n')
}

function writeAlternative(title: string, chart: Chart): string {
  return describeChart(title, chart).replaceAll(/[[\]]/g, '')
}

/** Returns the promises of a part as a table; no lines without promises. */
export function writeTargets(targets: readonly Target[]): string[] {
  if (targets.length === 0) return []
  const rows = targets.map(({ promise, way, measured, isReached, peer }) => [
    promise,
    way,
    formatNumber(measured),
    peer ? `${peer.name}: ${formatNumber(peer.measured)}` : '–',
    isReached ? 'yes' : 'no',
  ])
  return [formatTable({ head: targetHead, rows })]
}

const targetHead = ['promise', 'way', 'measured', 'strongest peer', 'reached']

/** Returns the promises of all parts, missed promises first in each. */
export function writeSummary(results: Readonly<Record<string, Result>>): string {
  const rows = Object.entries(results).flatMap(([part, { targets }]) =>
    targets.map(({ promise, way, measured, isReached, peer }) => [
      part,
      promise,
      way,
      formatNumber(measured),
      peer ? `${peer.name}: ${formatNumber(peer.measured)}` : '–',
      isReached ? 'yes' : 'no',
    ]),
  )
  return formatTable({ head: ['part', ...targetHead], rows })
}
