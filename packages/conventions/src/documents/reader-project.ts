import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { House, Package } from '../house/house.ts'
import type { CodeBlock } from './code-blocks.ts'

/**
 * A project as a reader creates it, in a temporary folder, with a file for each block. A block can import the packages of the
 * workspace and the dependencies of its package.
 */
export interface ReaderProject {
  readonly folder: string
  /** The file of each block, relative to the folder, in their order. */
  readonly files: readonly string[]
  remove(): void
}

export function createReaderProject(house: House, blocks: readonly CodeBlock[]): ReaderProject {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'latchkey-reader-')))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const files = blocks.map((block) => writeBlock(folder, block))
  linkPackages(house, folder)
  return { folder, files, remove: () => rmSync(folder, { recursive: true }) }
}

/**
 * One folder per document's package, so that a block resolves dependencies as a file of that package does. A block that
 * begins with the path of its file, `// src/auth.ts`, has this path, and the other blocks of its page import it.
 */
function writeBlock(folder: string, { path, line, code, isTsx }: CodeBlock): string {
  const page = join(slugOf(path), path.replace(/[^A-Za-z0-9]+/g, '-'))
  const named = fileNamedBy(code)
  const file = named === null ? `${page}-${line}.${isTsx ? 'tsx' : 'ts'}` : join(page, named)
  mkdirSync(join(folder, dirname(file)), { recursive: true })
  writeFileSync(join(folder, file), `${code}\nexport {}\n`, { flag: 'wx' })
  return file
}

/** `src/auth.ts` if the code begins with `// src/auth.ts`: the whole text of that file. */
export function fileNamedBy(code: string): string | null {
  return /^\/\/ ([\w./-]+\.tsx?)\n/.exec(code)?.[1] ?? null
}

function slugOf(path: string): string {
  const [top, name] = path.split('/')
  return top === 'packages' || top === 'examples' ? `${top}-${name}` : 'documents'
}

/** `node_modules` for the blocks: our packages for all, a package's own dependencies for its blocks, all for the rest. */
function linkPackages(house: House, folder: string): void {
  const all = [...house.packages, ...house.privatePackages]
  for (const one of all) link(join(house.root, one.folder), join(folder, 'node_modules', one.name))
  for (const one of all) linkDependencies(house, one, join(folder, slugOf(one.folder)))
  for (const one of all) linkDependencies(house, one, join(folder, 'documents'))
}

function linkDependencies(house: House, { folder: from, manifest }: Package, to: string): void {
  const names = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies, ...manifest.devDependencies })
  const outside = names.filter((name) => !name.startsWith('@latchkey/'))
  for (const name of outside) link(join(house.root, from, 'node_modules', name), join(to, 'node_modules', name))
}

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true })
  const isThere = readdirSync(dirname(path)).some((name) => path.endsWith(`/${name}`))
  if (!isThere) symlinkSync(target, path, 'junction')
}
