import { importedFiles } from './imported-files.ts'
import type { SourceFile } from './source-file.ts'

/**
 * Place → the places that it imports, each with the imports. A place of `src` or `test` is a folder in it (`rules`,
 * `server/grants`), or a file directly in it (`errors.ts`).
 */
export type PlaceGraph = ReadonlyMap<string, ReadonlyMap<string, readonly Crossing[]>>

/** One import from one place into another. */
export interface Crossing {
  readonly file: string
  readonly line: number
  readonly target: string
}

/** Returns the place of a file: `base` is `packages/jwt/src`. `null` for a file that is not in it. */
export function placeOf(path: string, base: string): string | null {
  if (!path.startsWith(`${base}/`)) return null
  const parts = path.slice(base.length + 1).split('/')
  return parts.length === 1 ? (parts[0] ?? null) : parts.slice(0, -1).join('/')
}

export function isFolder(place: string): boolean {
  return !/\.tsx?$/.test(place)
}

export function placeGraph(files: readonly SourceFile[], base: string): PlaceGraph {
  const graph = new Map<string, Map<string, Crossing[]>>()
  for (const file of files) {
    const from = placeOf(file.path, base)
    if (from === null) continue
    const ways = graph.get(from) ?? new Map<string, Crossing[]>()
    graph.set(from, ways)
    for (const { path: target, line } of importedFiles(file)) {
      const to = placeOf(target, base)
      if (to === null || to === from) continue
      ways.set(to, [...(ways.get(to) ?? []), { file: file.path, line, target }])
    }
  }
  return graph
}

/** Returns the groups of places of which each reaches all others of its group, sorted; a place alone is no circle. */
export function circlesIn(graph: PlaceGraph): readonly (readonly string[])[] {
  const reach = new Map([...graph.keys()].map((place) => [place, reachedFrom(place, graph)]))
  const groups = [...graph.keys()].map((place) =>
    [...(reach.get(place) ?? [])].filter((other) => reach.get(other)?.has(place)).sort(),
  )
  const circles = new Map(groups.filter(({ length }) => length > 1).map((group) => [group.join(), group]))
  return [...circles.values()].sort((left, right) => (left.join() < right.join() ? -1 : 1))
}

/** Returns the places reachable from a place; the place itself only in a circle. */
function reachedFrom(start: string, graph: PlaceGraph): ReadonlySet<string> {
  const reached = new Set<string>()
  const open = [...(graph.get(start)?.keys() ?? [])]
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    if (reached.has(place)) continue
    reached.add(place)
    open.push(...(graph.get(place)?.keys() ?? []))
  }
  return reached
}
