import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { descendantsOf } from '@latchkey/test-services'
import { expect, onTestFinished, test } from 'vitest'

const manyLooks = 5_000

test.skipIf(!existsSync('/proc/self/task'))('processes that end while they are looked for are left out', () => {
  const shell = spawn('sh', ['-c', 'while :; do sh -c :; done'], { stdio: 'ignore', detached: true })
  const { pid } = shell
  if (pid === undefined) throw new Error('there is no shell')
  onTestFinished(() => void process.kill(-pid, 'SIGKILL'))
  const seen = new Set<number>()
  // On a busy machine the first of them begins late.
  const until = performance.now() + 3_000
  const isMissed = (): boolean => seen.size < 2 && performance.now() < until
  for (let look = 0; look < manyLooks || isMissed(); look++) for (const child of descendantsOf(pid)) seen.add(child)
  expect(seen.size).toBeGreaterThan(1)
})

test('an exited process has no descendants', () => {
  expect(descendantsOf(2 ** 22 + 1)).toStrictEqual([])
})
