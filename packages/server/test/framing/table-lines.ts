import type { MeasuredRow } from './measure-row.ts'
import { harmOf } from './measure-rows.ts'

const titles = [
  ...['row', 'Node.js', 'queries alone', 'beside', 'p99', 'pings alone', 'beside', 'p99'],
  ...['loop', 'resident MB', 'lives', 'sent', 'connections', 'came back', 'harm'],
]
const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

/** The head of the table. Times are in milliseconds. */
export const tableHead = [line(titles), line(titles.map((_title, index) => (index === 0 ? '---' : '--:')))].join('\n')

export function tableLine(major: string, row: MeasuredRow): string {
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
