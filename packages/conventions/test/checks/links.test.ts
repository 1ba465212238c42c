import { expect, test } from 'vitest'
import { checkLinks } from '../../src/checks/check-links.ts'
import { buildHouse } from '../build-house.ts'

const pages = {
  'docs/README.md': '# Docs\n\n[guide](guide.md) [`code`](../packages/one/src) [web](https://example.com/x.md)\n',
  'docs/guide.md': '# The *first* step: `go`!\n\n## Twice\n\n## Twice\n\n[back](README.md#docs)\n',
}

test.each([
  ['a file', '[one](guide.md)'],
  ['a file with a title', '[one](guide.md "The guide")'],
  ['a folder', '[one](../packages/one/)'],
  ['a heading', '[one](guide.md#the-first-step-go)'],
  ['a heading that is there twice', '[one](guide.md#twice-1)'],
  ['a heading of the same page', '[one](#page)'],
  ['a reference', '[one][1]\n\n[1]: guide.md'],
  ['something in code', '`[one](nowhere.md)`'],
  ['something in a block of code', '```md\n[one](nowhere.md)\n```'],
])('a link to %s is in order', (_kind, link) => {
  const index = `${pages['docs/README.md']}[page](page.md)`
  expect(checkLinks(buildHouse({ ...pages, 'docs/README.md': index, 'docs/page.md': `# Page\n\n${link}\n` }))).toEqual(
    [],
  )
})

test.each([
  ['a missing file', '[one](nowhere.md)', 'leads nowhere: nowhere.md'],
  ['a missing file by reference', '[1]: nowhere.md', 'leads nowhere: nowhere.md'],
  ['a missing file after code', 'write `x`, read [one](nowhere.md)', 'leads nowhere: nowhere.md'],
  ['an image that is missing', '![one](image.svg)', 'leads nowhere: image.svg'],
  ['a missing heading', '[one](docs/guide.md#third)', 'no such heading: docs/guide.md#third'],
  ['a missing heading of the same page', '[one](#third)', 'no such heading: #third'],
])('a link to %s is named', (_kind, link, violation) => {
  expect(checkLinks(buildHouse({ ...pages, 'README.md': `# Page\n\n${link}\n` }))).toEqual([`README.md: ${violation}`])
})

test.each([
  ['a page', 'docs/decisions/one.md'],
  ['an example', 'examples/one/README.md'],
])('%s that the index does not link is named', (_kind, path) => {
  expect(checkLinks(buildHouse({ ...pages, [path]: '# One\n' }))).toEqual([`docs/README.md: does not link ${path}`])
})

test('a page that belongs to the builder of the site needs no link of the index', () => {
  expect(checkLinks(buildHouse({ ...pages, 'docs/site/home.md': '# Home\n' }))).toEqual([])
})
