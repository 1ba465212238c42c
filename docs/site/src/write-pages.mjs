import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { documentPages, readText, root } from './documents.mjs'
import { generatedPages } from './generated-pages.mjs'
import { withLinksOfSite } from './links.mjs'

/** Writes all pages of the site into a folder, as Markdown for VitePress, and returns them: document → file. */
export async function writePages(folder, address) {
  rmSync(folder, { recursive: true, force: true })
  const generated = await generatedPages()
  const pages = new Map([
    ...documentPages(),
    ...[...generated.keys()].map((path) => [path, path.slice('docs/'.length)]),
  ])
  for (const [path, page] of pages) {
    const text = withLinksOfSite(path, generated.get(path) ?? readText(path), pages, address)
    write(join(folder, page), `${text.trimEnd()}\n`)
  }
  cpSync(join(root, 'docs/charts'), join(folder, 'charts'), { recursive: true })
  for (const images of ['docs/images', 'examples/quickstart/images']) copyImages(folder, images)
  return pages
}

function copyImages(folder, images) {
  if (existsSync(join(root, images)))
    cpSync(join(root, images), join(folder, images.replace(/^docs\//, '')), { recursive: true })
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
