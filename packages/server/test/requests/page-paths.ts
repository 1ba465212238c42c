import { join } from 'node:path'

type Page = readonly [path: string, kind: string, needs: string | null]

// The list is behind no public name.
const list: { readonly features: readonly { readonly pages?: readonly Page[] }[] } = await import(
  join(import.meta.dirname, '../../src/features/features.ts')
)

/** The paths of all pages, as the features list them, each with what it is offered for. */
export const pageNeeds: ReadonlyMap<string, string> = new Map(
  list.features.flatMap(({ pages = [] }) => pages).map(([path, , needs]) => [path, needs ?? 'always']),
)
