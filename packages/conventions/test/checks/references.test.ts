import { expect, test } from 'vitest'
import { checkReferences } from '../../src/checks/check-references.ts'
import { buildHouse, goodPackage } from '../build-house.ts'

const references = (...paths: readonly string[]) => JSON.stringify({ references: paths.map((path) => ({ path })) })
const good = {
  ...goodPackage('two'),
  'tsconfig.json': references('packages/one', 'packages/two'),
  'packages/two/tsconfig.json': references('../one'),
  'packages/two/src/thing.ts': "import type { Thing } from '@latchkey/one'\nexport type Other = Thing\n",
}

test('a workspace that references what it imports breaks no rule', () => {
  expect(checkReferences(buildHouse(good))).toEqual([])
})

test.each([
  [
    'a package that the root forgets',
    'tsconfig.json',
    references('packages/one'),
    'tsconfig.json: does not reference packages/two',
  ],
  [
    'an import without a reference',
    'packages/two/tsconfig.json',
    '{}',
    'packages/two/tsconfig.json: does not reference ../one',
  ],
  [
    'a reference without an import',
    'packages/one/tsconfig.json',
    references('../two'),
    'packages/one/tsconfig.json: references ../two for nothing',
  ],
])('%s is named', (_rule, path, text, violation) => {
  expect(checkReferences(buildHouse(good, { [path]: text }))).toEqual([violation])
})
