import { commandsOf, entriesOf, type Package } from './house.ts'
import { importedFiles } from './imported-files.ts'
import type { SourceFile } from './source-file.ts'

/**
 * The files that may run outside Node.js: all but those that only a program leads to, which is `./node`, whatever is below
 * it, and the commands in `bin`. A file that nothing leads to (it is started, not imported) is one of them.
 */
export function portableSources(one: Package): readonly SourceFile[] {
  const entries = entriesOf(one).map(({ subpath, source }) => ({ source, isProgram: /\/node(\/|$)/.test(subpath) }))
  const programs = entries.filter(({ isProgram }) => isProgram).map(({ source }) => source)
  const portable = entries.filter(({ isProgram }) => !isProgram).map(({ source }) => source)
  const byPrograms = reachedFrom(one, [...programs, ...commandsOf(one)])
  const byOthers = reachedFrom(one, portable)
  return one.sources.filter(({ path }) => byOthers.has(path) || !byPrograms.has(path))
}

function reachedFrom({ sources }: Package, entries: readonly string[]): ReadonlySet<string> {
  const graph = new Map(sources.map((file) => [file.path, importedFiles(file).map(({ path }) => path)]))
  const reached = new Set<string>()
  const visit = (path: string) => {
    if (reached.has(path)) return
    reached.add(path)
    graph.get(path)?.forEach(visit)
  }
  entries.forEach(visit)
  return reached
}
