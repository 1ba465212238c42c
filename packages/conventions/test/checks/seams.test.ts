import { expect, test } from 'vitest'
import { checkSeams } from '../../src/checks/check-seams.ts'
import { buildHouse } from '../build-house.ts'

test('the good package of these tests breaks no rule', () => {
  expect(checkSeams(buildHouse())).toEqual([])
})

const path = 'packages/one/src/read.ts'
const ofTime = 'use @latchkey/core/internal'
const ofBytes = 'use @latchkey/bytes'
const ofNow = 'take `now`, with wallClock of @latchkey/core/internal as its default'

test.each<[text: string, violation: string]>([
  ['export const f = () => Date.now()', `Date.now: ${ofNow}`],
  ['export const f = ({ now = Date.now } = {}) => now()', `Date.now: ${ofNow}`],
  ['export const f = () => new Date()', `new Date(): ${ofNow}`],
  ['export const f = () => Date()', `Date(): ${ofNow}`],
  ['export const f = () => setTimeout(f, 1)', `setTimeout: ${ofTime}`],
  ['export const f = () => globalThis.setTimeout(f, 1)', `setTimeout: ${ofTime}`],
  ['export const f = (t) => clearInterval(t)', `clearInterval: ${ofTime}`],
  ['export const f = () => setImmediate(f)', `setImmediate: ${ofTime}`],
  ['declare function setInterval(work: () => void): unknown', `setInterval: ${ofTime}`],
  ['export interface A { readonly t: ReturnType<typeof setTimeout> }', `setTimeout: ${ofTime}`],
  ['export const timers = { setTimeout }', `setTimeout: ${ofTime}`],
  ["import { scheduler } from 'node:timers/promises'\nscheduler", `node:timers/promises: ${ofTime}`],
  ["export { performance } from 'node:perf_hooks'", `node:perf_hooks: ${ofTime}`],
  ['export const f = () => AbortSignal.timeout(1)', 'AbortSignal.timeout: use abortAfter of @latchkey/core/internal'],
  ['export const f = () => Math.random()', 'Math.random: use randomFraction of @latchkey/bytes'],
  ['export const f = () => crypto.getRandomValues(new Uint8Array(1))', `crypto.getRandomValues: ${ofBytes}`],
  ['export const f = () => globalThis.crypto.randomUUID()', `crypto.randomUUID: ${ofBytes}`],
  [
    "import { createHash, randomInt as draw } from 'node:crypto'\nexport const f = () => draw(6)",
    `randomInt of node:crypto: ${ofBytes}`,
  ],
  ['export const f = (node) => node.randomInt(6)', `node.randomInt: ${ofBytes}`],
  [
    "export const f = () => crypto.subtle.generateKey('Ed25519', true, [])",
    'crypto.subtle.generateKey: take random bytes as the key, or generateKeyMaterial of @latchkey/jwt',
  ],
  [
    "import { generateKeyPair } from 'jose'\nexport const a = 1",
    'generateKeyPair: take random bytes as the key, or generateKeyMaterial of @latchkey/jwt',
  ],
  ['export const f = () => process.hrtime()', 'process.hrtime: use performance.now()'],
  ['export const clock = { now: performance.now }', 'performance.now: call it, do not keep it'],
  ['export const startedAt = performance.now()', 'performance.now: is called while the module is loaded'],
  [
    "import { wallClock } from '@latchkey/core/internal'\nexport const startedAt = wallClock()",
    'wallClock: is called while the module is loaded',
  ],
  ['export const f = () => {\n  const { random } = Math\n}', '{ random } = Math: call it there, do not keep it'],
])('%j in a package is named', (text, violation) => {
  const found = checkSeams(buildHouse({ [path]: text }))
  expect(found.map((line) => line.replace(/:\d+: /, ': '))).toEqual([`${path}: ${violation}`])
})

test.each([
  "import { wallClock } from '@latchkey/core/internal'\nexport const f = ({ now = wallClock } = {}) => now()",
  'export const f = () => performance.now()',
  'export const f = (at: number) => new Date(at).toISOString()',
  'export const f = (crypto) => {\n  const { createHmac } = crypto\n}',
  'export const f = (response) => response.setTimeout(1)',
  'export interface Socket { setTimeout(milliseconds: number): void }',
  '// Date.now() and Math.random() are read elsewhere.\nexport const a = 1',
])('%j is allowed', (text) => {
  expect(checkSeams(buildHouse({ [path]: text }))).toEqual([])
})
