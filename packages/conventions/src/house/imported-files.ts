import { posix } from 'node:path'
import type { ImportedModule, SourceFile } from './source-file.ts'

/** An import of a file of the same package. */
export interface ImportedFile {
  /** Relative to the root, as `SourceFile.path`. */
  readonly path: string
  readonly line: number
}

/** Returns what a file imports by relative paths, for values or types. A file that it starts by its URL is none of these. */
export function importedFiles({ path, imports }: SourceFile): readonly ImportedFile[] {
  return imports
    .filter(isRelative)
    .map(({ specifier, line }) => ({ path: posix.join(posix.dirname(path), specifier), line }))
}

function isRelative({ specifier, how }: ImportedModule): boolean {
  return specifier.startsWith('.') && how !== 'url'
}
