import { expect, test } from 'vitest'
import { checkSources } from '../../src/checks/check-sources.ts'
import { buildHouse } from '../build-house.ts'

test('the good package of these tests breaks no rule', () => {
  expect(checkSources(buildHouse())).toEqual([])
})

const environment = ': declares process with env: a library takes options and does not read the environment'
test.each<[rule: string, file: string, text: string, violation: string]>([
  ['a folder in camel case', 'readToken/read.ts', 'export const a = 1', ': folder names are kebab-case'],
  ['a drawer', 'utils.ts', 'export const a = 1', ': is a drawer: name it after what it does'],
  ['a file of types', 'types.ts', 'export type A = 1', ': is a drawer: name it after what it does'],
  ['a drawer with files', 'helpers/read.ts', 'export const a = 1', ': is a drawer: name it after what it does'],
  [
    'a name of another package',
    'read.ts',
    "export const a = 1\nexport { b } from '@latchkey/b'",
    ': exports b of @latchkey/b: its users import it from there',
  ],
  ['the environment', 'read.ts', 'declare const process: { env?: object }\nprocess.env', environment],
  [
    'the environment, on lines of its own',
    'read.ts',
    'declare const process:\n  | { env: object }\n  | undefined',
    environment,
  ],
])('%s in a package is named', (_rule, file, text, violation) => {
  const path = `packages/one/src/${file}`
  expect(checkSources(buildHouse({ [path]: text }))).toEqual([`${path}${violation}`])
})

test('a file may declare other members of process', () => {
  const text = 'declare const process: { nextTick(): void }\nexport const env = process.nextTick()'
  expect(checkSources(buildHouse({ 'packages/one/src/read.ts': text }))).toEqual([])
})

test('an index that does anything but list names is named', () => {
  const path = 'packages/one/src/index.ts'
  expect(checkSources(buildHouse({ [path]: 'export const a = 1' }))).toEqual([
    `${path}: must hold nothing but names exported from other files`,
  ])
})
