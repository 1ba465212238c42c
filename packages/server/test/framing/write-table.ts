// Measures what nothing counts on each Node.js, and prints a table, in two minutes; with options these rows only:
// node --conditions=@latchkey/source packages/server/test/framing/write-table.ts [--only 'pipelined GETs'] [--node 24]
import { parseArgs } from 'node:util'
import { framingRows } from './framing-rows.ts'
import type { MeasuredRow } from './measure-row.ts'
import { createRowMeasurer, harmOf, programs } from './measure-rows.ts'

const { values } = parseArgs({
  options: { only: { type: 'string', multiple: true }, node: { type: 'string', multiple: true } },
})
const { only = [''], node = Object.keys(programs) } = values

const titles = [
  ...['row', 'Node.js', 'queries alone', 'beside', 'p99', 'pings alone', 'beside', 'p99'],
  ...['loop', 'resident MB', 'lives', 'sent', 'connections', 'came back', 'harm'],
]
const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
console.log(line(titles))
console.log(line(titles.map((_title, index) => (index === 0 ? '---' : '--:'))))
for (const major of node) {
  const program = programs[major]
  if (program === undefined) throw new Error(`--node must be one of ${Object.keys(programs).join(', ')}`)
  const measurer = createRowMeasurer(program)
  for (const { what } of framingRows.filter((row) => only.some((part) => row.what.includes(part)))) {
    console.log(rowOf(major, await measurer.measure(what)))
  }
  await measurer.close()
}

function rowOf(major: string, row: MeasuredRow): string {
  const { what, requests, pings, loopMs, idleBytes, mostBytes, ended, loot } = row
  const times = [requests, pings].flatMap(({ alone, beside }) => [
    shown(alone.median),
    shown(beside.median) + (beside.failure === null ? '' : ` (${beside.failure.slice(0, 60)})`),
    shown(beside.p99),
  ])
  const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(0)
  const back = Object.entries(loot.back).map(([name, count]) => `${count} × ${name}`)
  return line([
    ...[what, major, ...times, loopMs === null ? 'stands' : shown(loopMs)],
    ...[`${megabytes(idleBytes)} → ${megabytes(mostBytes)}`, ended ?? 'yes', `${megabytes(loot.bytes)} MB`],
    ...[`${loot.connections}`, back.join(', '), harmOf(row) ?? ''],
  ])
}

function shown(milliseconds: number): string {
  return milliseconds.toFixed(milliseconds < 10 ? 1 : 0)
}
