import { join } from 'node:path'
import { expect, test } from 'vitest'
import { buildHouse, root } from '../build-house.ts'

const { filesOfOneProcess } = await import(join(root, 'scripts/one-process.ts'))

const sharing = (text: string): readonly string[] =>
  filesOfOneProcess(['test/*.test.ts'], { cwd: buildHouse({ 'test/a.test.ts': text }).root })

test('test files may follow each other in one process', () => {
  expect(sharing("test('adds', async () => expect(await add(1, 2)).toBe(3))")).toEqual(['test/a.test.ts'])
})

test.each([
  ['replaces timers', 'vi.useFakeTimers()'],
  ['replaces a module', "vi.mock('./clock.ts')"],
  ['replaces a function of the platform', "vi.spyOn(Date, 'now')"],
  ['changes a global', 'globalThis.fetch = answer'],
  ['changes the environment', "process.env.PORT = '0'"],
  ['listens to the process', "process.on('unhandledRejection', note)"],
  ['measures memory', 'process.memoryUsage().heapUsed'],
  ['measures processor time', 'process.cpuUsage()'],
  ['measures how long something takes', 'const elapsed = startStopwatch(100)'],
  ['changes the limits of its tests', 'vi.setConfig({ testTimeout: 120_000 })'],
])('a file that %s has one of its own', (_what, text) => {
  expect(sharing(text)).toEqual([])
})
