import { describe, expect, test } from 'vitest'
import { hostileLines } from './hostile-lines.ts'
import { type MeasuredLine, measureLines, tableRow } from './measure-lines.ts'

// A quarter of an hour, and worth something on a quiet machine only, so vitest.config.ts leaves it to the long mode:
// TEST_TIER=3 vitest run packages/server/test/overload/neighbours.test.ts
// That requests wait in a fair queue is held in every mode: fair-queue.test.ts here and in @latchkey/http.
const slowerAtMost = 2

describe('in the long mode, with a fair queue honest requests take at most twice as long beside one address that sends without pause:', () => {
  const measured = new Map<string, MeasuredLine>()
  const done = measureLines({
    onMeasured(line) {
      measured.set(line.what, line)
      process.stdout.write(`${tableRow(line)}\n`)
    },
  })
  test.each(hostileLines.map(({ what }) => [what]))('%s', { timeout: 1_800_000 }, async (what) => {
    await done
    expect(measured.get(what)?.withQueue.p99).toBeLessThanOrEqual(slowerAtMost)
  })
})
