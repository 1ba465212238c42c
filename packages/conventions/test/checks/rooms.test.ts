import { expect, test } from 'vitest'
import { checkRooms } from '../../src/checks/check-rooms.ts'
import type { RoomOrder } from '../../src/house/room-order.ts'
import { buildHouse, type Files, goodPackage } from '../build-house.ts'

const plan = 'packages/conventions/src/house/rooms.ts'
const src = 'packages/one/src'
const order = { keys: [], tokens: ['keys'], 'create-thing.ts': ['keys', 'tokens'], cli: ['create-thing.ts'] }
const good: Files = {
  ...goodPackage('one', { bin: { one: './dist/main.js' } }),
  [`${src}/index.ts`]: "export { createThing } from './create-thing.ts'\nexport { sign } from './tokens/sign.ts'\n",
  [`${src}/main.ts`]: "import { run } from './cli/run.ts'\nrun()\n",
  [`${src}/create-thing.ts`]: "import './tokens/sign.ts'\nimport './keys/key.ts'\nexport const createThing = 1\n",
  [`${src}/cli/run.ts`]: "import '../create-thing.ts'\nexport function run(): void {}\n",
  [`${src}/tokens/sign.ts`]: "import { key } from '../keys/key.ts'\nexport const sign = key\n",
  [`${src}/keys/key.ts`]: "import '../errors.ts'\nimport './size.ts'\nexport const key = 1\n",
  [`${src}/keys/size.ts`]: 'export const size = 1\n',
  [`${src}/errors.ts`]: "import './thing.ts'\nexport const error = 1\n",
}
const check = (changes: Files, orders: RoomOrder = order) =>
  checkRooms(buildHouse(good, changes), { 'packages/one': orders }, [])

test('entries import every room, rooms import those below them and files that stand on none', () => {
  expect(check({})).toEqual([])
})

const below = 'move what both need below them, or take it as a function or a value'
test.each<[rule: string, file: string, text: string, violations: readonly string[]]>([
  [
    'a room that imports one above it',
    'keys/size.ts',
    "\nimport '../tokens/sign.ts'",
    [`${src}/keys/size.ts:2: keys may not import tokens: ${below} (${src}/tokens/sign.ts)`],
  ],
  [
    'a room that imports one above it for its types',
    'keys/size.ts',
    "export type A = import('../tokens/sign.ts').A",
    [`${src}/keys/size.ts:1: keys may not import tokens: ${below} (${src}/tokens/sign.ts)`],
  ],
  [
    'a room that passes on names of one above it',
    'keys/size.ts',
    "export { sign } from '../tokens/sign.ts'",
    [`${src}/keys/size.ts:1: keys may not import tokens: ${below} (${src}/tokens/sign.ts)`],
  ],
  [
    'a room below that the plan does not let it import',
    'cli/run.ts',
    "import '../keys/key.ts'\nimport '../create-thing.ts'",
    [`${src}/cli/run.ts:1: cli may not import keys: ${below} (${src}/keys/key.ts)`],
  ],
  [
    'a room that imports a file which stands on rooms',
    'tokens/sign.ts',
    "import '../create-thing.ts'",
    [`${src}/tokens/sign.ts:1: tokens may not import create-thing.ts: ${below} (${src}/create-thing.ts)`],
  ],
  [
    'a file directly in src that imports a room',
    'errors.ts',
    "import './keys/key.ts'",
    [
      `${src}/errors.ts:1: a file directly in src stands on no room, but imports keys: move it into the room that it belongs to (${src}/keys/key.ts)`,
    ],
  ],
  [
    'an entry that is imported',
    'tokens/sign.ts',
    "import '../index.ts'",
    [`${src}/tokens/sign.ts:1: imports the entry index.ts: import the file that declares the name (${src}/index.ts)`],
  ],
  [
    'a folder without a line in the plan',
    'mail/send.ts',
    "import '../keys/key.ts'",
    [`${src}/mail: has no line in ${plan}: say which rooms it may import`],
  ],
  [
    'a folder of a folder without a line in the plan',
    'tokens/jws/sign.ts',
    'export const a = 1',
    [`${src}/tokens/jws: has no line in ${plan}: say which rooms it may import`],
  ],
])('%s is named with what to do', (_rule, file, text, violations) => {
  expect(check({ [`${src}/${file}`]: text })).toEqual(violations)
})

test('a line of the plan for a missing place is named', () => {
  expect(check({}, { ...order, mail: [] })).toEqual([`${plan}: mail of packages/one is not there: remove its line`])
  expect(checkRooms(buildHouse(), { 'packages/two': {} }, [])).toEqual([
    `${plan}: packages/two is not there: remove its line`,
  ])
})

test('a plan that allows a circle is named', () => {
  expect(check({}, { ...order, keys: ['tokens'] })).toEqual([
    `${plan}: keys of packages/one may not stand on tokens, which is not before it`,
  ])
})

test('folders of tests in a circle of imports are named', () => {
  const tests = {
    'packages/one/test/keys/key.test.ts': "import '../support/start.ts'",
    'packages/one/test/support/start.ts': "import '../keys/vectors.ts'",
    'packages/one/test/keys/vectors.ts': 'export const a = 1',
  }
  expect(check(tests)).toEqual(['packages/one/test: import each other: keys, support'])
})

const many = (folder: string, count: number): Files =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${folder}/case-${index}.ts`, 'export {}']))

test.each([`${src}/keys`, 'packages/one/test', 'examples/app/src'])('21 files in %s are named', (folder) => {
  const empty = { 'packages/one/test/thing.test.ts': '', 'examples/app/package.json': '{ "private": true }' }
  const there = folder.endsWith('keys') ? 2 : folder.endsWith('test') ? 1 : 0
  const built = (count: number) => buildHouse(good, empty, many(folder, count - there))
  expect(checkRooms(built(20), { 'packages/one': order }, [])).toEqual([])
  expect(checkRooms(built(21), { 'packages/one': order }, [])).toEqual([
    `${folder}: has 21 files, more than 20: sort them into rooms`,
  ])
  expect(checkRooms(built(21), { 'packages/one': order }, [{ folder }])).toEqual([])
})

test('an exception for a folder that is not full is named', () => {
  expect(checkRooms(buildHouse(good), { 'packages/one': order }, [{ folder: `${src}/keys` }])).toEqual([
    `${plan}: ${src}/keys holds no more than 20 files: remove its exception`,
  ])
})
