// Follows the links of the built site's Markdown, as a program does that reads it. `npm run site` runs it after the build.
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const html = fileURLToPath(new URL('../dist/html/', import.meta.url))

/** Every link that is no URL: the file that has it, and its path without the anchor. */
const links = globSync(['**/*.md', '*.txt'], { cwd: html }).flatMap((file) => {
  const text = readFileSync(join(html, file), 'utf8').replace(/^([^\S\n]*)(```+|~~~+)[\s\S]*?^\1\2[^\S\n]*$/gm, '')
  return [...text.matchAll(/\]\((?![a-z]+:|#)([^)\s#]+)/g)].map(([, path]) => ({ file, path }))
})
const namesOf = (some) => some.map(({ file, path }) => `${file}: ${path}`)

test('the Markdown of pages, llms.txt and llms-full.txt have links', () => {
  const files = new Set(links.map(({ file }) => file))
  assert.ok(['guides/api-keys.md', 'llms.txt', 'llms-full.txt'].every((file) => files.has(file)))
})

test('a link of a Markdown page or of a text for programs names an existing file', () => {
  const isDead = ({ file, path }) => path.startsWith('/') || !existsSync(join(html, dirname(file), path))
  assert.deepEqual(namesOf(links.filter(isDead)), [])
})

test('a link between Markdown pages ends in .md, and a link to a picture in its own ending', () => {
  assert.deepEqual(namesOf(links.filter(({ path }) => !/\.(md|svg|png)$/.test(path))), [])
})

test('the page of the options links the reference of each group', () => {
  const text = readFileSync(join(html, 'server/options.md'), 'utf8')
  const linked = [...text.matchAll(/\(\.\.\/reference\/options\/([^)]+)\.md\)/g)].map(([, page]) => page)
  const groups = ['', '-pages', '-audit', '-sign-in', '-sessions', '-accounts', '-graphql', '-http', '-observe']
  assert.deepEqual(linked.sort(), [...groups.map((group) => `create-server${group}`), 'create-accounts'].sort())
})
