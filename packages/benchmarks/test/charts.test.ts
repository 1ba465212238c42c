import { describe, expect, test } from 'vitest'
import { describeChart, drawChart, longestBar } from '../src/documents/chart.ts'
import { type Chart, chartOf } from '../src/table.ts'

const chart: Chart = {
  unit: 'µs',
  better: 'less',
  series: ['median'],
  bars: [
    { label: 'latchkey', values: [10], range: [8, 12] },
    { label: 'a & <b>', values: [20], range: [18, 25] },
    { label: 'slow', values: [4000], range: [3900, 4100] },
  ],
}
const grouped: Chart = {
  unit: 'ms',
  better: 'more',
  series: ['p50', 'p99'],
  bars: [{ label: 'latchkey', values: [1, 2] }],
}

const widthsOf = (svg: string): number[] =>
  [...svg.matchAll(/<rect class="\w+ s\d" x="[\d.]+" y="[\d.]+" width="([\d.]+)" height="16"/g)].map(([, width]) =>
    Number(width),
  )

describe('a chart', () => {
  const svg = drawChart('Requests', chart)

  test('has bars in the proportion of their values, and a figure for each', () => {
    const [ours = 0, other = 0] = widthsOf(svg)
    expect(other / ours).toBeCloseTo(2, 1)
    for (const figure of ['>10<', '>20<', '>4000<']) expect(svg).toContain(figure)
  })

  test('cuts a bar off that would make the others invisible, and shows the cut', () => {
    expect(longestBar(chart)).toBe(40)
    const [, , ...slow] = widthsOf(svg)
    expect(slow).toHaveLength(2)
  })

  test('is as long as its longest bar if it has no row of Latchkey', () => {
    expect(longestBar({ ...chart, bars: chart.bars.slice(1) })).toBe(4000)
  })

  test('has the least and the most of each bar that is whole', () => {
    expect(svg.match(/<line class="range"/g)).toHaveLength(2)
  })

  test('is well formed, with any labels', () => {
    expect(svg).toContain('a &#38; &#60;b&#62;')
    const opened = [...svg.matchAll(/<([a-z]+)\b[^>]*?(\/?)>/g)].filter(([, , closed]) => closed === '')
    expect(opened.map(([, name]) => name).sort()).toEqual(
      [...svg.matchAll(/<\/([a-z]+)>/g)].map(([, name]) => name).sort(),
    )
  })

  test('is readable on light and on dark pages, and has no background colour', () => {
    expect(svg).toContain('@media (prefers-color-scheme: dark)')
    expect(svg).not.toContain('background')
  })

  test('says in words what it shows', () => {
    expect(describeChart('Requests', chart)).toBe('Requests, µs. latchkey: 10; a & <b>: 20; slow: 4000.')
    expect(describeChart('Waits', grouped)).toBe('Waits, ms. latchkey: p50 1, p99 2.')
    expect(svg).toMatch(/role="img" aria-labelledby="title">\n<title id="title">Requests, µs\./)
  })

  test('has a legend if it has several series', () => {
    const drawn = drawChart('Waits', grouped)
    for (const text of ['>p50<', '>p99<', 'more is better']) expect(drawn).toContain(text)
    expect(svg).not.toContain('>median<')
  })

  test('is drawn even if no value could be measured', () => {
    const drawn = drawChart('None', { ...chart, bars: [{ label: 'latchkey', values: [Number.NaN] }] })
    expect(drawn).not.toContain('NaN')
  })
})

describe('the chart of a table', () => {
  const table = {
    title: 'Starts',
    head: ['imports', 'ms'],
    rows: [
      ['nothing', '27.5'],
      ['latchkey', '53'],
    ],
  }

  test('is made of its second column by default', () => {
    expect(chartOf(table)).toMatchObject({ unit: 'ms', bars: [{ label: 'nothing', values: [27.5] }, { values: [53] }] })
  })

  test('is absent if the column has no figures, or the part turns it off', () => {
    expect(chartOf({ ...table, rows: [['nothing', 'an age']] })).toBeNull()
    expect(chartOf({ ...table, rows: [['nothing', '']] })).toBeNull()
    expect(chartOf({ ...table, chart: null })).toBeNull()
    expect(chartOf({ ...table, chart })).toBe(chart)
  })
})
