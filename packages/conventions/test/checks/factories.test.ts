import { expect, test } from 'vitest'
import { checkFactories } from '../../src/checks/check-factories.ts'
import { buildHouse } from '../build-house.ts'

test.each([
  ['reads what is not there', 'export function createThing({ a }) { return a }', 2],
  ['reads it later', 'export async function createThing(options) { return (await options).a.b }', 4],
  [
    'throws something else',
    'export function createThing(a) { if (!a?.b) throw new Error(\'createThing takes "b"\') }',
    4,
  ],
  ['says no name', "export function createThing(a) { if (!a?.b) throw new TypeError('an option is missing') }", 4],
  ['names itself', "export function createThing(a) { if (!a?.b) throw new TypeError('createThing takes options') }", 0],
  ['names the option', 'export function createThing(a) { if (!a?.b) throw new TypeError(\'"b" is required\') }', 0],
  ['needs nothing', 'export function createThing(a) { return a }', 0],
])('one that %s', async (_what, source, violations) => {
  const changed = buildHouse({ 'packages/one/src/index.ts': source })
  const found = await checkFactories(changed)
  expect(found).toHaveLength(violations)
  for (const line of found) expect(line).toMatch(/^@latchkey\/one: createThing\(.*\) throws /)
})
