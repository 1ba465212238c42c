import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const program = fileURLToPath(new URL('../support/failing-lists.ts', import.meta.url))
const run = promisify(execFile)

test.each([
  ['answered', 'the endpoint answers'],
  ['traced', 'a tracer listens to'],
  ['left', 'the client leaves before the answer'],
  ['prepared', 'another server executes'],
  ['subscribed', 'an event is answered with'],
])('the process lives on whatever fails below the items of a list (%s: operations that %s)', async (way) => {
  const { stdout } = await run(process.execPath, ['--conditions=@latchkey/source', '--no-warnings', program, way])
  expect(Number(/^(\d+) answered\n$/.exec(stdout)?.[1])).toBeGreaterThan(30)
})
