import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const program = fileURLToPath(new URL('../support/failing-lists.ts', import.meta.url))
const run = promisify(execFile)

/** Operations that the endpoint answers, that the client leaves before the answer, that another server executes, that an event is answered with, and that a tracer listens to, which has no end. */
const ways = ['answered', 'left', 'prepared', 'subscribed', 'traced']

test('the process lives on whatever fails below the items of a list, however the operation is executed', async () => {
  const { stdout } = await run(process.execPath, ['--conditions=@latchkey/source', '--no-warnings', program, ...ways])
  const counts = [...stdout.matchAll(/^(\w+): (\d+) answered$/gm)].map(([, way, count]) => [way, Number(count) > 30])
  expect(counts).toEqual(ways.map((way) => [way, true]))
})
