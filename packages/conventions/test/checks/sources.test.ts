import { expect, test } from 'vitest'
import { checkSources } from '../../src/checks/check-sources.ts'
import { buildHouse, entry, goodPackage, house } from '../build-house.ts'

test('every source file has one duty, a name that says it, and named exports', () => {
  expect(checkSources(house)).toEqual([])
})

test('the good package of these tests breaks no rule', () => {
  expect(checkSources(buildHouse())).toEqual([])
})

const long = 'const a = 1\n'.repeat(351)
test.each<[rule: string, file: string, text: string, violation: string]>([
  ['a name in camel case', 'readToken.ts', 'export const a = 1', ': file names are kebab-case'],
  ['a name with an underscore', 'read_token.ts', 'export const a = 1', ': file names are kebab-case'],
  ['a drawer', 'utils.ts', 'export const a = 1', ': is a drawer; name it after what it does'],
  ['a file of types', 'types.ts', 'export type A = 1', ': is a drawer; name it after what it does'],
  ['a drawer with files', 'helpers/read.ts', 'export const a = 1', ': is a drawer; name it after what it does'],
  ['a long file', 'long.ts', long, ': has 351 lines, more than 350'],
  ['a default export', 'read.ts', 'export default 1', ': has a default export'],
  ['a default export by name', 'read.ts', 'const a = 1\nexport { a as default }', ': has a default export'],
  [
    'an open export',
    'read.ts',
    "export const a = 1\nexport * from './thing.ts'",
    ': exports everything of ./thing.ts instead of names',
  ],
  [
    'a name of another package',
    'read.ts',
    "export const a = 1\nexport { b } from '@latchkey/b'",
    ': exports b of @latchkey/b again',
  ],
  ['an imported name', 'read.ts', "import { b } from '@latchkey/b'\nexport { b }", ': exports b of @latchkey/b again'],
  ['a barrel', 'read.ts', "export { createThing } from './thing.ts'", ': only passes on what other files export'],
  ['any', 'read.ts', '\nexport function read(value: any): void {}', ':2: gives a type up with any'],
  ['any in a type argument', 'read.ts', 'export type A = Map<string, any>', ':1: gives a type up with any'],
  ['printing', 'read.ts', "export const a = 1\nconsole.log('here')", ':2: a library does not use console'],
  ['printing in a roundabout way', 'read.ts', "globalThis.console.error('here')", ':1: a library does not use console'],
  ['the environment', 'read.ts', 'export const a = process.env.PORT', ':1: a library does not use process.env'],
  ['the environment, unpacked', 'read.ts', 'const { env } = process', ':1: a library does not use process.env'],
  [
    'the environment by string',
    'read.ts',
    "export const a = globalThis.process['env']",
    ':1: a library does not use process.env',
  ],
])('%s in a package is named', (_rule, file, text, violation) => {
  const path = `packages/one/src/${file}`
  expect(checkSources(buildHouse({ [path]: text }))).toEqual([`${path}${violation}`])
})

test('an index that does anything but list names is named', () => {
  const path = 'packages/one/src/index.ts'
  expect(checkSources(buildHouse({ [path]: 'export const a = 1' }))).toEqual([
    `${path}: must hold nothing but names exported from other files`,
  ])
})

test('a test file with a name in camel case is named', () => {
  const path = 'packages/one/test/readToken.test.ts'
  expect(checkSources(buildHouse({ [path]: '' }))).toEqual([`${path}: file names are kebab-case`])
})

test('a program may print and read the environment, and so may what only it uses', () => {
  const exports = { '.': entry('index'), './node': entry('node'), './package.json': './package.json' }
  const program = {
    ...goodPackage('one', { exports, bin: { one: './dist/cli.js' } }),
    'packages/one/src/node.ts': "import './settings.ts'\nconsole.log(1)",
    'packages/one/src/settings.ts': 'export const port = process.env.PORT',
    'packages/one/src/cli.ts': 'console.log(process.env.HOME)',
  }
  expect(checkSources(buildHouse(program))).toEqual([])
  const shared = { ...program, 'packages/one/src/thing.ts': "import './settings.ts'" }
  expect(checkSources(buildHouse(shared))).toEqual([
    'packages/one/src/settings.ts:1: a library does not use process.env',
  ])
})

test('a file that may print by exception may do only that', () => {
  const path = 'packages/one/src/print.ts'
  const changed = buildHouse({ [path]: 'console.log(process.env.PORT)' })
  expect(checkSources(changed, [{ place: path, what: 'console', why: 'it is the point of it' }])).toEqual([
    `${path}:1: a library does not use process.env`,
  ])
})
