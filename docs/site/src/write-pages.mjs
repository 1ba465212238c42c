import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { withGenerated } from './contents.mjs'
import { documentPages, index, readText, root } from './documents.mjs'
import { generatedPages } from './generated-pages.mjs'
import { withLinksOfSite } from './links.mjs'

/** Writes all pages of the site into a folder, as Markdown for VitePress. Returns them, document → file, and the table of contents. */
export async function writePages(folder, address) {
  rmSync(folder, { recursive: true, force: true })
  const generated = await generatedPages()
  const contents = withGenerated(readText(index), generated)
  const pages = new Map([...documentPages(), ...generated.map(({ path }) => [path, path.slice('docs/'.length)])])
  const texts = new Map([[index, contents], ...generated.map(({ path, text }) => [path, text])])
  for (const [path, page] of pages) {
    const text = withLinksOfSite(path, texts.get(path) ?? readText(path), pages, address)
    write(join(folder, page), `${text.trimEnd()}\n`)
  }
  cpSync(join(root, 'docs/charts'), join(folder, 'charts'), { recursive: true })
  return { pages, contents }
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
