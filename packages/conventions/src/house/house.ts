import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readSource, type SourceFile } from './source-file.ts'

/** A workspace on disk, read once: the input of every rule. */
export interface House {
  readonly root: string
  readonly manifest: Manifest
  /** The public packages, which are published. */
  readonly packages: readonly Package[]
  /** Private packages and examples: they use the public packages and are not published. */
  readonly privatePackages: readonly Package[]
  /** Paths of all files that are not made by a tool, relative to the root. */
  readonly files: readonly string[]
  read(path: string): string
  has(path: string): boolean
}

export interface Package {
  /** Name in the registry: `@latchkey/jwt`. */
  readonly name: string
  /** Relative to the root: `packages/jwt`. */
  readonly folder: string
  readonly manifest: Manifest
  readonly sources: readonly SourceFile[]
  /** The files of `test` and `bench`. */
  readonly tests: readonly SourceFile[]
}

export interface Manifest {
  readonly name?: string
  readonly version?: string
  readonly private?: boolean
  readonly type?: string
  readonly license?: string
  readonly description?: string
  readonly keywords?: readonly string[]
  readonly homepage?: unknown
  readonly bugs?: unknown
  readonly repository?: unknown
  readonly sideEffects?: unknown
  readonly files?: readonly string[]
  readonly engines?: Readonly<Record<string, string>>
  readonly exports?: Readonly<Record<string, unknown>>
  readonly bin?: Readonly<Record<string, string>>
  readonly scripts?: Readonly<Record<string, string>>
  readonly publishConfig?: Readonly<Record<string, unknown>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

const made = new Set(['node_modules', 'dist', 'coverage', '.git', '.data', '.stryker-tmp'])

export function openHouse(root: string): House {
  const files = [...walk(root, '')].sort()
  const known = new Set(files)
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  const packages = files
    .filter((path) => /^(packages|examples)\/[^/]+\/package\.json$/.test(path))
    .map((path) => readPackage(path.replace(/\/package\.json$/, ''), files, read))
  return {
    root,
    manifest: known.has('package.json') ? JSON.parse(read('package.json')) : {},
    packages: packages.filter(({ manifest }) => manifest.private !== true),
    privatePackages: packages.filter(({ manifest }) => manifest.private === true),
    files,
    read,
    has: (path) => known.has(path),
  }
}

function readPackage(folder: string, files: readonly string[], read: (path: string) => string): Package {
  const manifest: Manifest = JSON.parse(read(`${folder}/package.json`))
  const sourcesIn = (...names: readonly string[]) =>
    files
      .filter((path) => names.some((name) => path.startsWith(`${folder}/${name}/`)) && /\.tsx?$/.test(path))
      .map((path) => readSource(path, read(path)))
  return {
    name: manifest.name ?? folder,
    folder,
    manifest,
    sources: sourcesIn('src'),
    tests: sourcesIn('test', 'bench'),
  }
}

function* walk(root: string, folder: string): Generator<string> {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory() && !made.has(entry.name)) yield* walk(root, path)
    if (entry.isFile()) yield path
  }
}

/** The subpath exports of a package, as `exports` writes them, each with its source. */
export function entriesOf({
  folder,
  manifest,
}: Package): readonly { readonly subpath: string; readonly source: string }[] {
  return Object.entries(manifest.exports ?? {}).flatMap(([subpath, target]) => {
    const source = isConditions(target) ? target['@latchkey/source'] : undefined
    return typeof source === 'string' ? [{ subpath, source: `${folder}/${source.replace(/^\.\//, '')}` }] : []
  })
}

/** The sources of the commands that a package installs, relative to the root. */
export function commandsOf({ folder, manifest }: Package): readonly string[] {
  return Object.values(manifest.bin ?? {}).map(
    (file) => `${folder}/${file.replace(/^(\.\/)?dist\/(.*)\.js$/, 'src/$2.ts')}`,
  )
}

export function isConditions(target: unknown): target is Readonly<Record<string, unknown>> {
  return typeof target === 'object' && target !== null
}

/** The packages that a file imports: `@scope/name` or `name`, once each. */
export function packagesIn({ imports }: SourceFile): readonly string[] {
  const names = imports
    .filter(({ specifier, how }) => how !== 'url' && !/^(\.|#|node:)/.test(specifier))
    .map(({ specifier }) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/'))
  return [...new Set(names)]
}
