import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { brokenRecordStores } from '@latchkey/store/testing'
import { expect, test } from 'vitest'

const file = fileURLToPath(new URL('fixtures/node-test-run.ts', import.meta.url))

function runUnderNode(broken: string): Promise<{ readonly failed: boolean; readonly output: string }> {
  const options = ['--conditions=@latchkey/source', '--test-reporter=tap', file, broken]
  return new Promise((resolve) => {
    execFile(process.execPath, options, (error, stdout) => resolve({ failed: error !== null, output: stdout }))
  })
}

test('the kits run under node:test, and the process exits', async () => {
  const { failed, output } = await runUnderNode('')
  expect(output).toMatch(/^# fail 0$/m)
  expect(output).toContain('ok 1 - of parallel inserts of one key exactly one wins')
  expect(failed).toBe(false)
})

test('a broken store fails under node:test as well', async () => {
  const { name, fails } = brokenRecordStores.find((broken) => broken.fails.includes('parallel removes'))!
  const { failed, output } = await runUnderNode(name)
  expect(output).toMatch(new RegExp(`^ *not ok \\d+ - ${fails}$`, 'm'))
  expect(failed).toBe(true)
})
