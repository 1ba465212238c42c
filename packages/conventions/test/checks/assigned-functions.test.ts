import { expect, test } from 'vitest'
import { checkAssignedFunctions } from '../../src/checks/check-assigned-functions.ts'
import { buildHouse } from '../build-house.ts'

const path = 'packages/one/src/read.ts'

test.each<[text: string, member: string]>([
  ['export const f = (state) => {\n  state.wake = () => state\n}', 'state.wake'],
  ['export const f = (state) => {\n  state.wake ??= () => state\n}', 'state.wake'],
  ['export const f = (state) => {\n  state.wake = (async () => state)\n}', 'state.wake'],
  ['export const f = (state) => {\n  state.wake = function () {\n    return state\n  }\n}', 'state.wake'],
  ['export const f = (state, name) => {\n  state[name] = () => state\n}', 'state[name]'],
  ['export class A {\n  constructor(x) { this.read = () => x }\n}', 'this.read'],
  ['export class A {\n  #read\n  set(x) { this.#read = () => x }\n}', 'this.#read'],
])('%j in a package is named', (text, member) => {
  const found = checkAssignedFunctions(buildHouse({ [path]: text }))
  expect(found.map((line) => line.replace(/:\d+: /, ': '))).toEqual([
    `${path}: ${member}: name the function before it is assigned`,
  ])
})

test.each([
  'export const f = (state) => {\n  const wake = () => state\n  state.wake = wake\n}',
  'export const f = (state) => {\n  let wake\n  wake = () => state\n  return wake\n}',
  'export const f = (x) => ({ read: () => x })',
  'export const f = (state, given) => {\n  state.read = given && (() => given)\n}',
  'export class A {\n  read = () => this.x\n  x = 1\n}',
])('%j is allowed', (text) => {
  expect(checkAssignedFunctions(buildHouse({ [path]: text }))).toEqual([])
})
