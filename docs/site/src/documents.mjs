// Which documents of the repository are pages of the site, and at which address.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../..', import.meta.url))

/** The table of contents: a page, the sidebar and `llms.txt`. */
export const index = 'docs/README.md'

const made = new Set(['node_modules', 'dist', '.git'])

/** Every page: the path of its document in the repository → its file in the site. */
export function documentPages() {
  const documents = [
    'README.md',
    'SECURITY.md',
    'CONTRIBUTING.md',
    'create/README.md',
    ...walk('docs'),
    ...walk('packages', 2),
    ...walk('examples', 2),
  ]
  return new Map(documents.flatMap((path) => (pageOf(path) === null ? [] : [[path, pageOf(path)]])))
}

function pageOf(path) {
  if (path === 'README.md') return 'start.md'
  if (path === 'SECURITY.md') return 'reporting.md'
  if (path === 'CONTRIBUTING.md') return 'contributing/index.md'
  if (path === index) return 'contents.md'
  if (path.startsWith('docs/site/')) return null
  if (path.startsWith('docs/')) return path.slice('docs/'.length)
  // Private packages are for people who work on the repository.
  if (isPrivatePackage(path)) return null
  return path.endsWith('/README.md') ? path.replace(/README\.md$/, 'index.md') : null
}

function isPrivatePackage(path) {
  const [top, name, file] = path.split('/')
  return (
    top === 'packages' && file !== undefined && JSON.parse(readText(`packages/${name}/package.json`)).private === true
  )
}

function walk(folder, depth = Number.POSITIVE_INFINITY) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return depth > 1 && !made.has(entry.name) ? walk(path, depth - 1) : []
    return entry.name.endsWith('.md') ? [path] : []
  })
}

export function readText(path) {
  return readFileSync(join(root, path), 'utf8')
}
