import type { PartReport, Target } from './part.ts'
import { formatNumber, formatTable } from './table.ts'

/** A part in Markdown: its tables, then its promises. */
export function writeReport(name: string, about: string, { tables, targets }: PartReport): string {
  const shown = tables.map(({ title, ...table }) => `${title}\n\n${formatTable(table)}`)
  return [`## ${name}: ${about}`, ...shown, ...writeTargets(targets)].join('\n\n')
}

function writeTargets(targets: readonly Target[]): string[] {
  if (targets.length === 0) return []
  const rows = targets.map(({ promise, way, measured, isReached }) => [
    promise,
    way,
    formatNumber(measured),
    isReached ? 'yes' : 'no',
  ])
  return [formatTable({ head: ['promise', 'way', 'measured', 'reached'], rows })]
}
