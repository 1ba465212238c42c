import { afterAll, describe, expect, test } from 'vitest'
import { framingRows } from './framing-rows.ts'
import { createRowMeasurer, harmOf, programs, type RowMeasurer } from './measure-rows.ts'
import { tableLine } from './table-lines.ts'

/** One row for each way to be counted; the long mode measures all. */
const deciding = [
  'one-byte chunks 40',
  'pipelined POSTs',
  'pipelined 900 headers',
  'WebSocket PINGs',
  'WebSocket empty fragments',
  'graphql pings',
  'tiny messages',
]
const isLong = process.env.TEST_TIER === '3'
const measured = framingRows.map(({ what }) => what).filter((what) => isLong || deciding.includes(what))

// What else a machine does may harm one try of three, each in a process of its own, but ends no service.
async function harmsOf(measurer: RowMeasurer, what: string): Promise<readonly string[]> {
  const harms: string[] = []
  for (let tries = 1; harms.length < 2 && tries <= 3; tries++) {
    const row = await measurer.measure(what, tries > 1)
    process.stdout.write(`${tableLine(measurer.major, row)}\n`)
    expect(row.ended).toBeNull()
    const harm = harmOf(row)
    if (harm !== null) harms.push(harm)
    else if (tries === 1) break
  }
  return harms
}

describe.each(Object.keys(programs))(
  'on Node.js %s, beside one address, memory grows by 64 MB at most and others wait three times as long or 6 ms at most:',
  (major) => {
    const measurer = createRowMeasurer(major)
    afterAll(() => measurer.close())
    test.each(measured)('%s', { timeout: 120_000 }, async (what) => {
      const harms = await harmsOf(measurer, what)
      expect(harms.length, harms.join('; ')).toBeLessThan(2)
    })
  },
)
