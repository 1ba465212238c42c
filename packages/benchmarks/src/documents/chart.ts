import { type Bar, type Chart, formatNumber } from '../table.ts'

const width = 760
const labelWidth = 250
const figureWidth = 90
const barHeight = 16
const barGap = 3
const groupGap = 10
const top = 46

/** A bar longer than this many times the longest one of Latchkey is cut off: it would make the others invisible. */
const mostTimes = 4

/**
 * Returns a chart as SVG that is readable on light and dark pages: one group of bars for each row, with its figure.
 * Rows of Latchkey have the strong colour; a cut bar has a gap and an edge, and its figure is complete.
 */
export function drawChart(title: string, chart: Chart): string {
  const most = longestBar(chart)
  const parts: string[] = []
  let y = top + (chart.series.length > 1 ? 18 : 0)
  for (const bar of chart.bars) {
    parts.push(drawGroup(bar, { chart, most, y }))
    y += bar.values.length * (barHeight + barGap) + groupGap
  }
  const legend = chart.series.length > 1 ? drawLegend(chart.series) : ''
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y}" width="${width}" height="${y}" role="img" aria-labelledby="title">
<title id="title">${escapeXml(describeChart(title, chart))}</title>
<style>${style}</style>
<text class="head" x="0" y="16">${escapeXml(title)}</text>
<text class="unit" x="0" y="34">${escapeXml(`${chart.unit}; ${chart.better} is better`)}</text>
${legend}${parts.join('\n')}
</svg>
`
}

const style = `
text { font: 12px system-ui, sans-serif; fill: #1f2328 }
.head { font-weight: 600; font-size: 13px }
.unit { fill: #59636e }
.own { fill: #0969da } .other { fill: #8c959f } .s1 { opacity: .68 } .s2 { opacity: .4 }
.range { stroke: #1f2328; stroke-width: 1 }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc }
  .unit { fill: #9198a1 }
  .own { fill: #4493f8 } .other { fill: #656c76 }
  .range { stroke: #f0f6fc }
}
`

/** Returns the alternative text of the picture. */
export function describeChart(title: string, { unit, series, bars }: Chart): string {
  const rows = bars.map(({ label, values }) => {
    const figures = values.map((value, index) =>
      series.length > 1 ? `${series[index]} ${formatNumber(value)}` : formatNumber(value),
    )
    return `${label}: ${figures.join(', ')}`
  })
  return `${title}, ${unit}. ${rows.join('; ')}.`
}

/** Returns the value that fills the width: the largest value, or a multiple of the largest value of Latchkey. */
export function longestBar({ bars }: Chart): number {
  const largest = (of: readonly Bar[]): number =>
    Math.max(0, ...of.flatMap(({ values }) => values).filter(Number.isFinite))
  const all = largest(bars)
  const own = largest(bars.filter(({ label }) => isOwn(label)))
  return own === 0 ? all : Math.min(all, own * mostTimes)
}

function isOwn(label: string): boolean {
  return label.includes('latchkey')
}

interface Place {
  readonly chart: Chart
  readonly most: number
  readonly y: number
}

function drawGroup({ label, values, range }: Bar, { chart, most, y }: Place): string {
  const space = width - labelWidth - figureWidth
  const scale = (value: number): number => (most > 0 ? Math.min(1, Math.max(0, value / most)) * space : 0)
  const middle = y + (values.length * (barHeight + barGap) - barGap) / 2 + 4
  const lines = [`<text x="${labelWidth - 8}" y="${middle}" text-anchor="end">${escapeXml(label)}</text>`]
  for (const [index, value] of values.entries()) {
    const barY = y + index * (barHeight + barGap)
    const length = round(scale(value))
    const kind = `${isOwn(label) ? 'own' : 'other'} s${index}`
    const isCut = value > most
    lines.push(bar(kind, labelWidth, barY, isCut ? length - 12 : length))
    if (isCut) lines.push(bar(kind, labelWidth + length - 8, barY, 8))
    if (range && !isCut && chart.series.length === 1) lines.push(whisker(range.map(scale), barY))
    const right = range && !isCut ? Math.max(length, round(scale(range[1]))) : length
    lines.push(`<text x="${labelWidth + right + 6}" y="${barY + 12}">${formatNumber(value)}</text>`)
  }
  return lines.join('\n')
}

function bar(kind: string, x: number, y: number, length: number): string {
  return `<rect class="${kind}" x="${round(x)}" y="${y}" width="${Math.max(1, round(length))}" height="${barHeight}" rx="2"/>`
}

function whisker([from = 0, to = 0]: readonly number[], y: number): string {
  const middle = y + barHeight / 2
  return `<line class="range" x1="${round(labelWidth + from)}" y1="${middle}" x2="${round(labelWidth + to)}" y2="${middle}"/>`
}

function drawLegend(series: readonly string[]): string {
  const entries = series.map((name, index) => {
    const x = labelWidth + index * 110
    return `<rect class="own s${index}" x="${x}" y="42" width="12" height="12" rx="2"/><text x="${x + 18}" y="52">${escapeXml(name)}</text>`
  })
  return `${entries.join('\n')}\n`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
