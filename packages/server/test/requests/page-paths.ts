import { join } from 'node:path'

type Page = readonly [path: string, kind: string, needs: string | null]

// The table is behind no public name.
const table: { readonly pages: readonly Page[] } = await import(
  join(import.meta.dirname, '../../src/pipeline/page-table.ts')
)

/** The paths of all pages, as the table lists them, each with what it is offered for. */
export const pageNeeds: ReadonlyMap<string, string> = new Map(
  table.pages.map(([path, , needs]) => [path, needs ?? 'always']),
)
