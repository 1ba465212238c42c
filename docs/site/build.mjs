// Builds the site from the documents of the repository into docs/site/dist/html: `npm run site`. It needs only its own
// packages and the repository.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readContents } from './src/contents.mjs'
import { withLinksToFiles } from './src/links.mjs'
import { llmsFullText, llmsText } from './src/llms.mjs'
import { repositoryAddress } from './src/repository-address.mjs'
import { writePages } from './src/write-pages.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
const folder = join(here, 'dist/pages')
const output = join(here, 'dist/html')

if (!existsSync(join(here, 'node_modules/vitepress'))) {
  execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], {
    cwd: here,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
}
const { pages, contents } = await writePages(folder, repositoryAddress())
const sections = readContents(contents, pages)
writeFileSync(join(here, 'dist/sections.json'), JSON.stringify(sections))
const { build } = await import('vitepress')
await build(here)

const textOf = (file, from = file) => withLinksToFiles(from, readFileSync(join(folder, file), 'utf8'))
cpSync(folder, output, { recursive: true })
for (const file of globSync('**/*.md', { cwd: folder })) writeFileSync(join(output, file), textOf(file))
writeFileSync(join(output, 'llms.txt'), llmsText(sections))
writeFileSync(
  join(output, 'llms-full.txt'),
  llmsFullText(sections, (file) => textOf(file, 'llms-full.txt')),
)
console.log(`wrote ${pages.size} pages: open docs/site/dist/html`)
