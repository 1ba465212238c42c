import { join } from 'node:path'
import { expect, test } from 'vitest'
import { compileDocuments } from '../../src/documents/compile-documents.ts'
import { runExamples } from '../../src/documents/run-examples.ts'
import { buildHouse, goodPackage, root } from '../build-house.ts'
import { house } from '../this-house.ts'

const tools = join(root, 'node_modules')

test('the ts blocks of every README and of docs compile, and so do the examples of doc comments', {
  timeout: 300_000,
}, async () => {
  expect(await compileDocuments(house, tools)).toEqual([])
})

test('the first example of every README runs', { timeout: 300_000 }, async () => {
  expect(await runExamples(house)).toEqual([])
})

test('only the first example runs, and is named if it fails', async () => {
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

test('blocks and examples that do not compile are named with their lines, and their neighbours are not', async () => {
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
    '```tsx',
    'export const shown = <p />',
    '```',
    '```ts',
    "import { createThing } from '@latchkey/one'",
    'const wrong: object = createThing() // the name is taken by another block, which is another module',
    '```',
  ].join('\n')
  const page =
    "```ts\nimport { createThing } from '@latchkey/one'\nimport { app } from './app.ts'\ncreateThing(app)\n```\n"
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
  const texts = { 'packages/one/README.md': readme, 'docs/page.md': page, 'packages/one/src/thing.ts': thing }
  const found = await compileDocuments(buildHouse(texts), tools)
  expect(found.sort()).toEqual([
    // What the reader would not have.
    expect.stringMatching(/^docs\/page\.md:3: error TS2307: /),
    expect.stringMatching(/^docs\/page\.md:4: error TS2554: /),
    // The elements of a reader without React.
    expect.stringMatching(/^packages\/one\/README\.md:14: error TS2875: /),
    expect.stringMatching(/^packages\/one\/README\.md:14: error TS7026: /),
    expect.stringMatching(/^packages\/one\/README\.md:4: error TS2322: /),
    expect.stringMatching(/^packages\/one\/README\.md:8: error TS2305: /),
    expect.stringMatching(/^packages\/one\/src\/thing\.ts:6: error TS2322: /),
  ])
})

test('blocks that begin with the paths of their files import each other, and have no name that they do not use', async () => {
  const file = (name: string, ...lines: string[]) => ['```ts', `// ${name}`, ...lines, '```', ''].join('\n')
  const page = [
    file('src/app.ts', "import { left, right } from './sides.ts'", 'export const sum: number = left'),
    file('src/sides.ts', 'export const left = 1', "export const right = 'two'"),
  ].join('')
  const other = file('src/app.ts', "import { left } from './sides.ts'", 'export const same = left')
  expect(await compileDocuments(buildHouse({ 'docs/page.md': page, 'docs/other.md': other }), tools)).toEqual([
    expect.stringMatching(/^docs\/other\.md:3: error TS2307: /),
    expect.stringMatching(/^docs\/page\.md:3: error TS6133: 'right' is declared/),
  ])
})
