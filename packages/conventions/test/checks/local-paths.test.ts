import { expect, test } from 'vitest'
import { checkLocalPaths } from '../../src/checks/check-local-paths.ts'
import { buildHouse } from '../build-house.ts'

// Put together here, so that this file is not one of the texts that it warns of.
const at = (...parts: readonly string[]) => `/${parts.join('/')}`

test.each([
  at('home', 'alice'),
  at('Users', 'alice'),
  at('root', '.npmrc'),
  at('work', 'latchkey'),
  `file://${at('home', 'alice')}`,
  ['C:', 'Users', 'alice'].join('\\'),
])('a text with the path %s is named with its line', (path) => {
  const found = checkLocalPaths(buildHouse({ 'docs/page.md': `# Page\n\nSee \`${path}\`.\n` }))
  expect(found).toHaveLength(1)
  expect(found[0]).toMatch(/^docs\/page\.md:3: /)
})

test.each([
  'https://example.com/home/page',
  './home/page',
  '../root/x',
  '/tmp/latchkey',
  '/homework/x',
  ['~', 'work', 'x'].join('/'),
])('a text with %s is in order', (text) => {
  expect(checkLocalPaths(buildHouse({ 'docs/page.md': text }))).toEqual([])
})
