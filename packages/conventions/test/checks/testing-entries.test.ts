import { expect, test } from 'vitest'
import { checkTestingEntries } from '../../src/checks/check-testing-entries.ts'
import { buildHouse, entry, type Files, goodPackage, house } from '../build-house.ts'

test('what is for tests is reached by ./testing only', () => {
  expect(checkTestingEntries(house)).toEqual([])
})

const withTesting: Files = {
  ...goodPackage('one', {
    exports: { '.': entry('index'), './testing': entry('testing'), './package.json': './package.json' },
  }),
  'packages/one/src/testing.ts': "export { kit } from './testing/kit.ts'\n",
  'packages/one/src/testing/kit.ts': "import '@latchkey/two/testing'\nimport '../thing.ts'\nexport const kit = 1\n",
}

test('which may reach whatever it needs', () => {
  expect(checkTestingEntries(buildHouse(withTesting))).toEqual([])
})

test.each([
  ['packages/one/src/index.ts', "export { kit } from './testing.ts'", 'packages/one/src/testing.ts'],
  ['packages/one/src/thing.ts', "import { kit } from './testing/kit.ts'", 'packages/one/src/testing/kit.ts'],
  ['packages/one/src/thing.ts', "await import('./testing/kit.ts')", 'packages/one/src/testing/kit.ts'],
  ['packages/one/src/worker.ts', "import '@latchkey/two/testing'", '@latchkey/two/testing'],
])('%s with "%s" is named', (path, text, what) => {
  expect(checkTestingEntries(buildHouse(withTesting, { [path]: text }))).toEqual([
    `${path}: imports ${what}, which is for tests`,
  ])
})
