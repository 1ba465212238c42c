import { writeTargets } from './documents/sections.ts'
import type { PartReport } from './part.ts'
import { formatTable } from './table.ts'

/** A part in Markdown: its tables, then its promises. */
export function writeReport(name: string, about: string, { tables, targets }: PartReport): string {
  const shown = tables.map(({ title, ...table }) => `${title}\n\n${formatTable(table)}`)
  return [`## ${name}: ${about}`, ...shown, ...writeTargets(targets)].join('\n\n')
}
