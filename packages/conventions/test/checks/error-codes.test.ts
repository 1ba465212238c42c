import { expect, test } from 'vitest'
import { checkErrorCodes } from '../../src/checks/check-error-codes.ts'
import { buildHouse, type Files } from '../build-house.ts'

const good: Files = {
  'packages/one/src/errors.ts':
    "export type OneErrorCode = 'ONE_LOST' | 'ONE_TIRED'\nexport class OneError extends Error {}\nexport type Mood = 'FINE'\n",
  'packages/one/README.md': '| `ONE_LOST` | look again |\n| `ONE_TIRED` | wait |\n',
  'packages/one/test/errors.test.ts':
    "expect(error).toMatchObject({ code: 'ONE_LOST' })\nexpect(code).toBe('ONE_TIRED')\n",
}

test('a package whose codes are explained and asserted breaks no rule', () => {
  expect(checkErrorCodes(buildHouse(good))).toEqual([])
})

test('a code is explained by a docs page of its package, and not by a page of another package', () => {
  const readme = { 'packages/one/README.md': '`ONE_TIRED`' }
  expect(checkErrorCodes(buildHouse(good, readme, { 'docs/one/errors.md': '`ONE_LOST`' }))).toEqual([])
  expect(checkErrorCodes(buildHouse(good, readme, { 'docs/two/errors.md': '`ONE_LOST`' }))).toEqual([
    'packages/one/README.md: does not explain ONE_LOST',
  ])
})

test.each<[rule: string, files: Files, violation: string]>([
  [
    'that no README explains',
    { 'packages/one/README.md': '`ONE_TIRED`' },
    'packages/one/README.md: does not explain ONE_LOST',
  ],
  [
    'of which the README has only half',
    { 'packages/one/README.md': '`ONE_TIRED` `ONE_LOST_AGAIN`' },
    'packages/one/README.md: does not explain ONE_LOST',
  ],
  [
    'that no test asserts',
    { 'packages/one/test/errors.test.ts': "'ONE_TIRED'" },
    'packages/one/test: no test asserts ONE_LOST',
  ],
  [
    'in small letters',
    { 'packages/one/src/errors.ts': "export type OneErrorCode = 'one-lost'" },
    'packages/one/src/errors.ts: code one-lost is not UPPER_SNAKE',
  ],
])('a code %s is named', (_rule, files, violation) => {
  expect(checkErrorCodes(buildHouse(good, files))).toContain(violation)
})

test('an errors.ts without a union of codes is named', () => {
  const files = { 'packages/one/src/errors.ts': 'export class OneError extends Error {}' }
  expect(checkErrorCodes(buildHouse(files))).toEqual(['packages/one/src/errors.ts: has no union of codes named …Code'])
})

const stray = { 'packages/one/src/read.ts': '/** Lost. */\nexport class ReadError extends Error {}' }

test('a public error class outside errors.ts is named', () => {
  const files = { ...stray, 'packages/one/src/index.ts': "export { ReadError } from './read.ts'\n" }
  expect(checkErrorCodes(buildHouse(files))).toEqual([
    'packages/one/src/read.ts: public error classes stand in src/errors.ts',
  ])
})

test('an error class that is not exported may stand anywhere', () => {
  expect(checkErrorCodes(buildHouse(stray))).toEqual([])
})

test.each([
  [
    'is named, in the package itself',
    'packages/one/src/judge.ts',
    ['packages/one/src/judge.ts: judges OneError by instanceof: write isOneError(error)'],
  ],
  ['may stand in tests, which have one copy', 'packages/one/test/judge.test.ts', []],
])('a public error judged by instanceof %s', (_case, path, violations) => {
  const files = { [path]: 'export const isIt = (error: unknown) => error instanceof OneError' }
  expect(checkErrorCodes(buildHouse(good, files))).toEqual(violations)
})
