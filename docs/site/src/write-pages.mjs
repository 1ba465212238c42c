import { cpSync, globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { withGenerated } from './contents.mjs'
import { withTables } from './diagrams.mjs'
import { documentPages, index, readText, root } from './documents.mjs'
import { generatedPages } from './generated-pages.mjs'
import { imagesOf, withLinksOfSite, withoutHtml } from './links.mjs'

/** Writes all pages of the site into a folder, as Markdown for VitePress. Returns them, document → file, and the table of contents. */
export async function writePages(folder, address) {
  rmSync(folder, { recursive: true, force: true })
  const generated = await generatedPages()
  const contents = withGenerated(readText(index), generated)
  const pages = new Map([...documentPages(), ...generated.map(({ path }) => [path, path.slice('docs/'.length)])])
  const texts = new Map([[index, contents], ...generated.map(({ path, text }) => [path, text])])
  const linked = new Map([...pages, ...sourcesOfOptions(pages)])
  const documents = [...pages.keys()].map((path) => [path, withTables(withoutHtml(texts.get(path) ?? readText(path)))])
  for (const [path, markdown] of documents) {
    const text = withLinksOfSite(path, markdown, linked, address)
    write(join(folder, pages.get(path)), `${text.trimEnd()}\n`)
  }
  for (const [file, image] of imagesOf(documents)) cpSync(join(root, file), join(folder, image))
  return { pages, contents }
}

/** The sources of options → the pages of the site that have their doc comments. */
function sourcesOfOptions(pages) {
  const sources = globSync('packages/server/src/options/*/{*-options,auditing}.ts', { cwd: root })
  const named = sources.map((source) => [source, basename(dirname(source))])
  return [
    ...named.map(([source, group]) => [source, group === 'server' ? 'create-server' : `create-server-${group}`]),
    ['packages/accounts/src/context/accounts-options.ts', 'create-accounts'],
  ]
    .map(([source, name]) => [source, pages.get(`docs/reference/options/${name}.md`)])
    .filter(([, page]) => page !== undefined)
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
