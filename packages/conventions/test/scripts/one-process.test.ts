import { join } from 'node:path'
import { expect, test } from 'vitest'
import { buildHouse, root } from '../build-house.ts'

const { filesOfOneProcess, filesThatMeasure } = await import(join(root, 'scripts/one-process.ts'))

const sharing = (text: string): readonly string[] =>
  filesOfOneProcess(['test/*.test.ts'], { cwd: buildHouse({ 'test/a.test.ts': text }).root })

test('a test file that changes no state of the process may follow others', () => {
  expect(sharing("test('adds', async () => expect(await add(1, 2)).toBe(3))")).toEqual(['test/a.test.ts'])
})

test.each([
  ['reads which tier it is in', "const isLong = process.env.TEST_TIER === '3'"],
  ['spies, which ends with the file', "vi.spyOn(Date, 'now')"],
  ['replaces timers for a test', 'vi.useFakeTimers()'],
])('a test file that %s may follow others', (_what, text) => {
  expect(sharing(text)).toEqual(['test/a.test.ts'])
})

test.each([
  ['replaces a module', "vi.mock('./clock.ts')"],
  ['changes a global', 'globalThis.fetch = answer'],
  ['changes the environment', "process.env.PORT = '0'"],
  ['listens to the process', "process.on('unhandledRejection', note)"],
  ['measures memory', 'process.memoryUsage().heapUsed'],
  ['measures processor time', 'process.cpuUsage()'],
  ['measures how long something takes', 'const elapsed = startStopwatch(100)'],
])('a file that %s has a separate process', (_what, text) => {
  expect(sharing(text)).toEqual([])
})

test.each([
  ['starts a stopwatch', true, 'const elapsed = startStopwatch(100)'],
  ['compares a measurement with a limit', true, "expectWithin(300, 'answered', times)"],
  ['sends requests', false, 'await fetch(url)'],
])('a file on servers that %s runs alone: %s', (_what, isAlone, text) => {
  const { root } = buildHouse({ 'test/a.services.test.ts': text })
  expect(filesThatMeasure('test/*.services.test.ts', { cwd: root })).toEqual(isAlone ? ['test/a.services.test.ts'] : [])
})
