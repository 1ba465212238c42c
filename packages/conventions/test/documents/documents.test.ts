import { expect, test } from 'vitest'
import { codeBlocks, codeExamples, documentedBlocks } from '../../src/documents/code-blocks.ts'
import { house } from '../this-house.ts'

test('the blocks and the examples of the house are found', () => {
  const found = documentedBlocks(house)
  expect(found.map(({ path }) => path)).toContain('packages/bytes/README.md')
  const tags = house.packages.flatMap((one) =>
    one.sources.flatMap(({ text }) => text.match(/^\s*\* @example$/gm) ?? []),
  )
  expect(found.filter(({ path }) => path.endsWith('.ts'))).toHaveLength(tags.length)
})

test('a block has the line number of its first line of code', () => {
  expect(codeBlocks('a.md', 'text\n\n```ts\nconst a = 1\n```\n')).toEqual([
    { path: 'a.md', line: 4, code: 'const a = 1\n' },
  ])
})

test('a tsx block has elements of JSX', () => {
  expect(codeBlocks('a.md', '```tsx\nconst a = <p />\n```\n')).toEqual([
    { path: 'a.md', line: 2, code: 'const a = <p />\n', isTsx: true },
  ])
})

test.each([
  ['at the end', '/**\n * @example\n * one()\n * two()\n */', 3, 'one()\ntwo()\n'],
  [
    'before another tag',
    '\n  /**\n   * @example\n   * one()\n   *\n   * two()\n   * @returns x\n   */',
    4,
    'one()\n\ntwo()\n',
  ],
])('an example %s of a doc comment is found', (_place, source, line, code) => {
  expect(codeExamples('a.ts', source)).toEqual([{ path: 'a.ts', line, code }])
})
