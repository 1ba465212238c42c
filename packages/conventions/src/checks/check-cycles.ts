import type { House } from '../house/house.ts'
import { importedFiles } from '../house/imported-files.ts'
import type { SourceFile } from '../house/source-file.ts'

/** No file of a package imports itself, not even over others and not even for a type: each can be read alone. */
export function checkCycles(house: House): string[] {
  return [...house.packages, ...house.privatePackages].flatMap(({ sources }) => cyclesAmong(sources))
}

function cyclesAmong(files: readonly SourceFile[]): string[] {
  const graph = new Map(files.map((file) => [file.path, importedFiles(file).map((one) => one.path)]))
  const done = new Set<string>()
  const found: string[] = []
  const visit = (path: string, trail: readonly string[]) => {
    const start = trail.indexOf(path)
    if (start >= 0) found.push(`import cycle: ${[...trail.slice(start), path].join(' → ')}`)
    if (start >= 0 || done.has(path)) return
    for (const next of graph.get(path) ?? []) visit(next, [...trail, path])
    done.add(path)
  }
  for (const path of graph.keys()) visit(path, [])
  return found
}
