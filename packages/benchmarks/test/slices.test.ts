import { describe, expect, test } from 'vitest'
import { sumOfSchedstats } from '../src/load/processor-time.ts'
import { writeSliceTable } from '../src/load/slice-table.ts'
import { extraMicroseconds, type Slices, speedRatio, turnsOf } from '../src/load/slices.ts'
import { orderOf } from '../src/rounds.ts'

const turns = (...cpu: number[]) =>
  cpu.map((cpuMicroseconds) => ({ perSecond: 1e6 / cpuMicroseconds, cpuMicroseconds }))
const slices: Slices = { bare: turns(20, 40, 20), ours: turns(25, 50, 30), other: turns(40, 80, 40) }

describe('slices in turn', () => {
  test('one second for each server is ten turns of 100 ms, and there is always one', () => {
    expect([turnsOf(1), turnsOf(3), turnsOf(0.01)]).toEqual([10, 30, 1])
  })

  test('every second turn goes back, so that no server always follows the same one', () => {
    expect([0, 1, 2].map((turn) => orderOf(['a', 'b', 'c'], turn).join(''))).toEqual(['abc', 'cba', 'abc'])
  })

  test('are compared turn by turn: a turn that took twice as long for all changes no ratio', () => {
    expect(speedRatio(slices, 'ours', 'bare')).toBe(0.8)
    expect(speedRatio(slices, 'ours', 'other')).toBe(1.6)
  })

  test('the extra cost of a request is the median of the differences', () => {
    expect(extraMicroseconds(slices, 'ours', 'bare')).toBe(10)
  })

  test('a server that was not measured has no ratio', () => {
    expect(speedRatio(slices, 'ours', 'absent')).toBeNaN()
    expect(speedRatio(slices, 'absent', 'bare')).toBeNaN()
  })
})

test("the scheduler's count of a process is the sum of its threads, in microseconds", () => {
  expect(sumOfSchedstats(['5000000 12 3\n', '250000 0 1\n'])).toBe(5250)
})

describe('the table of slices', () => {
  const baseOf = (name: string): string | null => (name === 'bare' ? null : 'bare')
  const table = writeSliceTable(slices, {
    title: 'Servers',
    bases: [{ head: 'of bare', baseOf }],
    missing: [{ name: 'on PostgreSQL', why: 'there is none' }],
  })

  test('shows median, least and most, and the ratio to a reference if there is one', () => {
    expect(table.rows).toContainEqual(['bare', '50000', '20', '20', '40', ''])
    expect(table.rows).toContainEqual(['ours', '33333', '30', '25', '50', '0.8 ×'])
  })

  test('says of a server that could not be measured why', () => {
    expect(table.rows.at(-1)).toEqual(['on PostgreSQL', 'there is none', '', '', '', ''])
  })

  test('draws what was measured only', () => {
    expect(table.chart?.bars.map(({ label }) => label)).toEqual(['bare', 'ours', 'other'])
  })
})
