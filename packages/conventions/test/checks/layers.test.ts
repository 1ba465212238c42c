import { expect, test } from 'vitest'
import { checkLayers } from '../../src/checks/check-layers.ts'
import type { Layer } from '../../src/house/layers.ts'
import { buildHouse, type Files, goodPackage } from '../build-house.ts'

const plan: Readonly<Record<string, Layer>> = {
  base: { level: 0, on: [], external: [] },
  one: { level: 1, on: ['base'], external: ['cookie'] },
  sibling: { level: 1, on: ['base'], external: [] },
  roof: { level: 2, on: ['one'], external: [] },
}

test('a package may import what its line of the plan names', () => {
  const files = {
    'packages/one/src/thing.ts':
      "import 'cookie'\nimport type { Base } from '@latchkey/base'\nexport type Thing = Base\n",
    'packages/one/test/thing.test.ts': "import '@latchkey/sibling'\nimport '@latchkey/one'\nimport './neighbour.ts'\n",
  }
  expect(checkLayers(buildHouse(files), plan)).toEqual([])
})

const source = 'packages/one/src/thing.ts'
const spec = 'packages/one/test/thing.test.ts'
test.each<[rule: string, files: Files, violation: string]>([
  [
    'a sibling',
    { [source]: "import '@latchkey/sibling'" },
    `${source}: @latchkey/one may not import @latchkey/sibling`,
  ],
  [
    'a sibling for its types',
    { [source]: "import type { Sibling } from '@latchkey/sibling'" },
    `${source}: @latchkey/one may not import @latchkey/sibling`,
  ],
  [
    'a sibling inside a type',
    { [source]: "export type A = import('@latchkey/sibling').Sibling" },
    `${source}: @latchkey/one may not import @latchkey/sibling`,
  ],
  [
    'a level above',
    { [source]: "await import('@latchkey/roof')" },
    `${source}: @latchkey/one may not import @latchkey/roof`,
  ],
  ['an unplanned dependency', { [source]: "import 'lodash'" }, `${source}: @latchkey/one may not import lodash`],
  ['itself by name', { [source]: "import '@latchkey/one'" }, `${source}: imports its own package by name`],
  [
    'the inside of another package',
    { [source]: "import '@latchkey/base/src/index.ts'" },
    `${source}: goes around a public name: @latchkey/base/src/index.ts`,
  ],
  [
    'a neighbour by its path',
    { [source]: "import '../../base/src/index.ts'" },
    `${source}: goes around a public name: ../../base/src/index.ts`,
  ],
  [
    'a level above in a test',
    { [spec]: "import '@latchkey/roof'" },
    `${spec}: a test of @latchkey/one may not import @latchkey/roof`,
  ],
  [
    'its own source in a test',
    { [spec]: "import '../src/thing.ts'" },
    `${spec}: goes around a public name: ../src/thing.ts`,
  ],
])('a package that imports %s is named', (_rule, files, violation) => {
  expect(checkLayers(buildHouse(files), plan)).toContain(violation)
})

test('a package without a line in the plan is named', () => {
  expect(checkLayers(buildHouse(goodPackage('stranger')), plan)).toEqual([
    'packages/stranger: has no line in the plan of the house',
  ])
})

test('an example may not reach into a package either', () => {
  const files = {
    'examples/app/package.json': '{ "private": true }',
    'examples/app/src/main.ts': "import '../../../packages/one/src/thing.ts'",
  }
  expect(checkLayers(buildHouse(files), plan)).toEqual([
    'examples/app/src/main.ts: goes around a public name: ../../../packages/one/src/thing.ts',
  ])
})

test('a plan in which something stands on what comes later is refused', () => {
  const circle = { one: { level: 1, on: ['base'], external: [] }, base: { level: 0, on: [], external: [] } }
  expect(checkLayers(buildHouse(), circle)).toContain('the plan lets one stand on base')
})
