import { expect, test } from 'vitest'
import { publicNames } from '../../src/house/public-names.ts'
import { buildHouse, entry, goodPackage, house } from '../build-house.ts'

test('the public names are those of public-names.txt, which changes on purpose: vitest run --update', async () => {
  await expect(publicNames(house)).toMatchFileSnapshot('../../public-names.txt')
})

test('the list holds every subpath export, with values and types told apart', () => {
  const exports = { '.': entry('index'), './node': entry('node'), './package.json': './package.json' }
  const files = {
    ...goodPackage('one', { exports }),
    'packages/one/src/node.ts': [
      'export interface Listener {}',
      'export type Port = number',
      'export function listen(): Listener { return {} }',
      'export const port: Port = 1, host = "here"',
      'export class ListenError extends Error {}',
      "export type { Thing } from './thing.ts'",
    ].join('\n'),
  }
  expect(publicNames(buildHouse(files))).toBe(
    [
      '@latchkey/one\n  createThing\n  type Thing\n',
      '@latchkey/one/node\n  ListenError\n  host\n  listen\n  port\n  type Listener\n  type Port\n  type Thing\n',
    ].join('\n'),
  )
})
