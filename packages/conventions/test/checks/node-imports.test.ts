import { expect, test } from 'vitest'
import { checkNodeImports } from '../../src/checks/check-node-imports.ts'
import { checkSources } from '../../src/checks/check-sources.ts'
import { type Exception, exceptions } from '../../src/house/layers.ts'
import { buildHouse, entry, type Files, goodPackage, house } from '../build-house.ts'

test('node:* stands only where nothing but Node.js can get to it', () => {
  expect(checkNodeImports(house)).toEqual([])
})

test.each(exceptions)('the exception for $what in $place is still needed', (exception) => {
  const others = exceptions.filter((other) => other !== exception)
  expect([...checkNodeImports(house, others), ...checkSources(house, others)]).not.toEqual([])
})

const withNode: Files = {
  ...goodPackage('one', {
    exports: { '.': entry('index'), './node': entry('node'), './package.json': './package.json' },
  }),
  'packages/one/src/node.ts': "import 'node:http'\nimport './listen.ts'\n",
  'packages/one/src/listen.ts': "import type { Server } from 'node:http'\n",
}

test('the ./node entry and what only it imports may use Node.js', () => {
  expect(checkNodeImports(buildHouse(withNode))).toEqual([])
})

test.each<[rule: string, files: Files, file: string]>([
  ['by the index', { 'packages/one/src/thing.ts': "import 'node:fs'" }, 'packages/one/src/thing.ts'],
  [
    'by the index for types',
    { 'packages/one/src/thing.ts': "import type { Stats } from 'node:fs'" },
    'packages/one/src/thing.ts',
  ],
  ['by the index later', { 'packages/one/src/thing.ts': "await import('node:fs')" }, 'packages/one/src/thing.ts'],
  ['by nobody', { 'packages/one/src/worker.ts': "import 'node:fs'" }, 'packages/one/src/worker.ts'],
  [
    'by both entries',
    {
      ...withNode,
      'packages/one/src/listen.ts': "import 'node:fs'",
      'packages/one/src/thing.ts': "import './listen.ts'",
    },
    'packages/one/src/listen.ts',
  ],
])('a file reached %s that imports node:fs is named', (_way, files, file) => {
  expect(checkNodeImports(buildHouse(files))).toEqual([`${file}: node:fs may be imported only below a ./node entry`])
})

test.each([
  ['its path', 'packages/one/src/worker.ts', 0],
  ['its folder', 'packages/one/src/', 0],
  ['half of its name', 'packages/one/src/work', 1],
])('an exception that names %s leaves this many violations: %#', (_kind, place, count) => {
  const changed = buildHouse({ 'packages/one/src/worker.ts': "import 'node:fs'" })
  const exception: Exception = { place, what: 'node', why: 'it is started, not imported' }
  expect(checkNodeImports(changed, [exception])).toHaveLength(count)
  expect(checkNodeImports(changed, [{ ...exception, what: 'console' }])).toHaveLength(1)
})
