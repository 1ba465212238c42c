import { join } from 'node:path'
import { expect, test } from 'vitest'
import { codeBlocks, codeExamples, documentedBlocks } from '../../src/documents/code-blocks.ts'
import { compileDocuments } from '../../src/documents/compile-documents.ts'
import { runExamples } from '../../src/documents/run-examples.ts'
import { buildHouse, goodPackage, house, root } from '../build-house.ts'

const tools = join(root, 'node_modules')

test('the ts blocks of every README and of docs compile, and so do the examples of doc comments', {
  timeout: 300_000,
}, async () => {
  expect(await compileDocuments(house, tools)).toEqual([])
})

test('the first example of every README runs', { timeout: 300_000 }, async () => {
  expect(await runExamples(house)).toEqual([])
})

test('a first example that does not run is named, and only the first one runs', async () => {
  const block = (code: string) => `\`\`\`ts\n${code}\n\`\`\`\n`
  const found = await runExamples(
    buildHouse(goodPackage('two'), {
      'README.md': block("import { createThing } from '@latchkey/one'\ncreateThing()"),
      'packages/one/README.md': block("setInterval(() => {}, 1000)\nif (Date.now() > 0) throw new TypeError('no')"),
      'packages/two/README.md': block('const fine = 1') + block("throw new TypeError('not the first')"),
    }),
  )
  expect(found).toEqual(['packages/one/README.md:2: TypeError: no'])
})

test('a block that does not compile is named with its line, and its neighbours are not', async () => {
  const readme = [
    '# @latchkey/one',
    '```ts',
    "import { createThing } from '@latchkey/one'",
    'const wrong: number = createThing()',
    '```',
    '- in a list:',
    '  ```ts',
    "  import { missing } from '@latchkey/one'",
    '  ```',
    '```js',
    'const x: never = 1',
    '```',
    '```ts',
    "import { createThing } from '@latchkey/one'",
    'const wrong: object = createThing() // the name is taken by another block, which is another module',
    '```',
  ].join('\n')
  const found = await compileDocuments(buildHouse({ 'packages/one/README.md': readme }), tools)
  expect(found).toEqual([
    expect.stringMatching(/^packages\/one\/README\.md:4: error TS2322: /),
    expect.stringMatching(/^packages\/one\/README\.md:8: error TS2305: /),
  ])
})

test('a block sees the packages of the workspace and nothing that the reader would not have', async () => {
  const page =
    "```ts\nimport { createThing } from '@latchkey/one'\nimport { app } from './app.ts'\ncreateThing(app)\n```\n"
  expect(await compileDocuments(buildHouse({ 'docs/page.md': page }), tools)).toEqual([
    expect.stringMatching(/^docs\/page\.md:3: error TS2307: /),
    expect.stringMatching(/^docs\/page\.md:4: error TS2554: /),
  ])
})

test('an example in a doc comment that does not compile is named with its line', async () => {
  const thing = [
    '/**',
    ' * Makes a thing.',
    ' *',
    ' * @example',
    " * import { createThing } from '@latchkey/one'",
    ' * const wrong: number = createThing()',
    ' * @returns the thing',
    ' */',
    'export function createThing(): object {',
    '  return {}',
    '}',
    'export interface Thing {}',
  ].join('\n')
  expect(await compileDocuments(buildHouse({ 'packages/one/src/thing.ts': thing }), tools)).toEqual([
    expect.stringMatching(/^packages\/one\/src\/thing\.ts:6: error TS2322: /),
  ])
})

test('the blocks and the examples of the house are found', () => {
  const found = documentedBlocks(house)
  expect(found.map(({ path }) => path)).toContain('packages/bytes/README.md')
  const tags = house.packages.flatMap((one) =>
    one.sources.flatMap(({ text }) => text.match(/^\s*\* @example$/gm) ?? []),
  )
  expect(found.filter(({ path }) => path.endsWith('.ts'))).toHaveLength(tags.length)
})

test('a block knows the line on which its code begins', () => {
  expect(codeBlocks('a.md', 'text\n\n```ts\nconst a = 1\n```\n')).toEqual([
    { path: 'a.md', line: 4, code: 'const a = 1\n' },
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
