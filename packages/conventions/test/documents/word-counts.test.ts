import { expect, test } from 'vitest'
import { countWords, wordCounts } from '../../src/documents/word-counts.ts'
import { buildHouse } from '../build-house.ts'

test.each([
  ['words and numbers', 'two words, 3 now', 4],
  ['a block of code', 'before\n\n```ts\nconst none = 1\n```\n\nafter\n', 2],
  ['a link', 'see [the page](docs/page.md)', 3],
  ['the cells of a table without its lines', '| one | two |\n| --- | --- |\n| three | four |\n', 4],
  ['a reference', 'see [one]\n\n[one]: https://example.com/two/three\n', 2],
])('countWords counts %s', (_kind, markdown, words) => {
  expect(countWords(markdown)).toBe(words)
})

test('pages and READMEs of packages have limits, and other documents none', () => {
  const counts = wordCounts(
    buildHouse({
      'docs/guide.md': 'word '.repeat(2501),
      'docs/decisions/one.md': 'a',
      'packages/one/README.md': 'word '.repeat(801),
      'CONTRIBUTING.md': 'a',
      'packages/one/test/notes.md': 'a',
    }),
  )
  expect(counts).toEqual([
    { path: 'packages/one/README.md', words: 801, limit: 800 },
    { path: 'docs/guide.md', words: 2501, limit: 2500 },
    { path: 'docs/decisions/one.md', words: 1, limit: 2500 },
  ])
})
