import { describe, expect, test } from 'vitest'
import { chartOfRounds } from '../src/rounds.ts'
import { median, medianRatio, medians, percentile, spread } from '../src/statistics.ts'
import { formatNumber, formatTable } from '../src/table.ts'

const oneToThousand = Array.from({ length: 1000 }, (_none, index) => 1000 - index)

describe('percentiles', () => {
  test.each([
    [0.5, 500],
    [0.99, 990],
    [0.999, 999],
    [1, 1000],
    [0, 1],
  ])('below the share %d of the numbers from 1 to 1000 lies %d', (share, value) => {
    expect(percentile(oneToThousand, share)).toBe(value)
  })

  test('equal the sample if there is a single sample, and are NaN without samples', () => {
    expect([percentile([7], 0), percentile([7], 0.999)]).toEqual([7, 7])
    expect(percentile([], 0.5)).toBeNaN()
  })

  test('the samples stay in their order', () => {
    const samples = [3, 1, 2]
    median(samples)
    expect(samples).toEqual([3, 1, 2])
  })

  test('a spread is the least, the median and the most', () => {
    expect(spread([5, 1, 9, 3, 7])).toEqual({ min: 1, median: 5, max: 9 })
  })
})

describe('rounds', () => {
  test('each number of a row has its own median', () => {
    const rounds = [
      { ping: 1, file: 30 },
      { ping: 3, file: 10 },
      { ping: 2, file: 20 },
    ]
    expect(medians(rounds)).toEqual({ ping: 2, file: 20 })
  })

  test('a round in which all took twice as long does not change the ratio', () => {
    expect(medianRatio([10, 20, 10], [5, 10, 5])).toBe(2)
  })

  test('become bars of their medians, with the least and the most', () => {
    const { bars } = chartOfRounds('µs', { one: [3, 1, 2] })
    expect(bars).toEqual([{ label: 'one', values: [2], range: [1, 3] }])
  })
})

describe('tables', () => {
  test('a figure has three digits, or as many as its whole number', () => {
    expect([0.012345, 1.2345, 12.345, 1234.5, Number.NaN].map(formatNumber)).toEqual([
      '0.0123',
      '1.23',
      '12.3',
      '1235',
      '–',
    ])
  })

  test('columns are as wide as their widest cell', () => {
    expect(formatTable({ head: ['a', 'long'], rows: [['wide', '1']] })).toBe(
      '| a    | long |\n| ---- | ---- |\n| wide | 1    |',
    )
  })
})
