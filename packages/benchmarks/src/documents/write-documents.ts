import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { chartOf } from '../table.ts'
import { drawChart } from './chart.ts'
import type { Result } from './result.ts'
import { chartFile, replaceSection, sectionNames, summaryName, writeSection, writeSummary } from './sections.ts'

/** Where results, documents and charts are. */
export interface Places {
  /** One file for each part that was measured for the documents. */
  readonly results: string
  readonly documents: string
}

/** The folders of this repository. */
export const ownPlaces: Places = {
  results: fileURLToPath(new URL('../../results', import.meta.url)),
  documents: fileURLToPath(new URL('../../../../docs', import.meta.url)),
}

/** Stores the results of a run with the results of earlier runs, and writes all documents and charts from them. */
export function writeDocuments(
  measured: Readonly<Record<string, Result>>,
  order: readonly string[],
  places: Places = ownPlaces,
): void {
  mkdirSync(places.results, { recursive: true })
  for (const [part, result] of Object.entries(measured)) {
    const { about, machine, rounds, seconds, tables, targets } = result
    const kept: Result = { about, machine, rounds, seconds, tables, targets }
    writeFileSync(`${places.results}/${part}.json`, `${JSON.stringify(kept, null, 2)}\n`)
  }
  const files = draw(readResults(order, places), places)
  mkdirSync(`${places.documents}/charts`, { recursive: true })
  for (const [file, text] of Object.entries(files)) writeFileSync(`${places.documents}/${file}`, text)
}

/** Returns the results that are kept, in the order of the parts. */
export function readResults(order: readonly string[], { results }: Places = ownPlaces): Record<string, Result> {
  const kept = order.filter((part) => existsSync(`${results}/${part}.json`))
  return Object.fromEntries(
    kept.map((part) => [part, JSON.parse(readFileSync(`${results}/${part}.json`, 'utf8')) as Result]),
  )
}

/** Returns all documents and charts for these results; sections of parts without a result stay unchanged. */
export function draw(
  results: Readonly<Record<string, Result>>,
  { documents }: Places = ownPlaces,
): Record<string, string> {
  const files: Record<string, string> = {}
  for (const file of readdirSync(documents).filter((name) => name.startsWith('benchmarks') && name.endsWith('.md'))) {
    files[file] = fill(readFileSync(`${documents}/${file}`, 'utf8'), results)
  }
  for (const [part, { tables }] of Object.entries(results)) {
    for (const [index, table] of tables.entries()) {
      const chart = chartOf(table)
      if (chart) files[chartFile(part, index)] = drawChart(table.title, chart)
    }
  }
  return files
}

function fill(text: string, results: Readonly<Record<string, Result>>): string {
  return sectionNames(text).reduce((filled, name) => {
    if (name === summaryName)
      return Object.keys(results).length > 0 ? replaceSection(filled, name, writeSummary(results)) : filled
    const result = results[name]
    return result ? replaceSection(filled, name, writeSection(name, result)) : filled
  }, text)
}
