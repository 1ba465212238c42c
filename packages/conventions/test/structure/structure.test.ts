import { expect, test } from 'vitest'
import { measureStructure } from '../../src/structure/measure-structure.ts'
import { buildHouse, type Files, goodPackage } from '../build-house.ts'

const src = 'packages/one/src'
const files: Files = {
  ...goodPackage('one'),
  [`${src}/keys/key.ts`]: "import '../tokens/sign.ts'\nexport const key = 1\n",
  [`${src}/tokens/sign.ts`]: [
    "import '../keys/key.ts'",
    '/** Signs. */',
    'export function sign(): void {',
    '  const inner = () => {',
    '    return [1].map((one) => one)',
    '  }',
    '  inner()',
    '}',
    'export const verify = { check(): void {}, later: async () => 1 }',
    'export class Signer { run(): void {',
    '} }',
    '',
  ].join('\n'),
}
const measured = measureStructure(buildHouse(files), 3, { 'packages/one': { keys: [], tokens: ['keys'] } })

test('lines and files of sources and tests are counted per package', () => {
  expect(measured.packages).toEqual([
    { name: '@latchkey/one', sources: { files: 4, lines: 16 }, tests: { files: 1, lines: 2 } },
  ])
})

test('files are counted per folder, the fullest first', () => {
  expect(measured.folders).toEqual([
    { folder: src, files: 2 },
    { folder: `${src}/keys`, files: 1 },
    { folder: `${src}/tokens`, files: 1 },
    { folder: 'packages/one/test', files: 1 },
  ])
})

test('folders in a circle of imports are reported, and imports against the plan are listed', () => {
  expect(measured.circles).toEqual([{ folder: src, places: ['keys', 'tokens'] }])
  expect(measured.back).toEqual([{ file: `${src}/keys/key.ts`, line: 1, from: 'keys', to: 'tokens' }])
})

test('folders that the plan does not know are no imports against it', () => {
  expect(measureStructure(buildHouse(files), 0, {}).back).toEqual([])
})

test('functions with a name are measured from their first line to their last', () => {
  const file = `${src}/tokens/sign.ts`
  expect(measured.functions).toEqual({
    count: 6,
    medianLines: 1,
    longest: [
      { name: 'sign', file, line: 3, lines: 6 },
      { name: 'inner', file, line: 4, lines: 3 },
      { name: 'run', file, line: 10, lines: 2 },
    ],
  })
})
