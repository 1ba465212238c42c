import { expect, test } from 'vitest'
import { checkDependencies } from '../../src/checks/check-dependencies.ts'
import type { Manifest } from '../../src/house/house.ts'
import { buildHouse, goodPackage } from '../build-house.ts'

test.each<[rule: string, manifest: Manifest, source: string, violation: string]>([
  [
    'declares what it does not import',
    { dependencies: { cookie: '1' } },
    '',
    'packages/one: declares cookie and does not import it',
  ],
  [
    'pins a neighbour',
    { dependencies: { '@latchkey/base': '1.0.0' } },
    "import '@latchkey/base'",
    'packages/one: @latchkey/base must be "workspace:*"',
  ],
  [
    'brings its own graphql',
    { dependencies: { graphql: '1' } },
    "import 'graphql'",
    'packages/one: graphql is a peer dependency: two copies break instanceof',
  ],
])('a package that %s is named', (_rule, manifest, source, violation) => {
  const files = { ...goodPackage('one', manifest), 'packages/one/src/thing.ts': source }
  expect(checkDependencies(buildHouse(files))).toContain(violation)
})

test('an optional peer may be loaded by its name', () => {
  const manifest = { peerDependencies: { fast: '1' }, peerDependenciesMeta: { fast: { optional: true } } }
  const named = { 'packages/one/src/thing.ts': "export const engine = load('fast/lib.js')" }
  expect(checkDependencies(buildHouse(goodPackage('one', manifest), named))).toEqual([])
  const idle = ['packages/one: declares fast and does not import it']
  expect(checkDependencies(buildHouse(goodPackage('one', manifest)))).toEqual(idle)
  expect(checkDependencies(buildHouse(goodPackage('one', { ...manifest, peerDependenciesMeta: {} }), named))).toEqual(
    idle,
  )
})

test('an optional peer of ours may be brought along by a package above', () => {
  const peers = { peerDependencies: { fast: '1' }, peerDependenciesMeta: { fast: { optional: true } } }
  const below = goodPackage('base', peers)
  const above = goodPackage('one', { dependencies: { '@latchkey/base': 'workspace:*', fast: '1' } })
  const files = {
    'packages/base/src/thing.ts': "import 'fast'",
    'packages/one/src/thing.ts': "import '@latchkey/base'",
  }
  expect(checkDependencies(buildHouse({ ...below, ...above }, files))).toEqual([])
  const required = goodPackage('base', { ...peers, peerDependenciesMeta: {} })
  expect(checkDependencies(buildHouse({ ...required, ...above }, files))).toEqual([
    'packages/one: declares fast and does not import it',
  ])
})
