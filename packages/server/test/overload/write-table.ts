// Measures every hostile line and writes the table of docs/overload.md:
// node --conditions=@latchkey/source packages/server/test/overload/write-table.ts
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { measureLines } from './measure-lines.ts'

const page = new URL('../../../../docs/overload.md', import.meta.url)
const [begin, end] = ['<!-- measured -->', '<!-- /measured -->']
const rows: (readonly string[])[] = []
await measureLines(({ what, alone, beside, slowdown }) => {
  rows.push([what, ...[alone.p50, beside.p50, alone.p99, beside.p99, slowdown].map((figure) => figure.toFixed(2))])
  console.log(rows.at(-1)?.join(' | '))
})
const head = ['One address sends without pause', 'p50 alone', 'p50 beside', 'p99 alone', 'p99 beside', 'times as long']
const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
const table = [line(head), line(head.map((_name, index) => (index === 0 ? '---' : '--:'))), ...rows.map(line)]
const when = `${new Date().toISOString().slice(0, 10)}, Node.js ${process.versions.node}, ${cpus().length} cores:`
const text = readFileSync(page, 'utf8')
const [before = '', rest = ''] = text.split(begin)
const [, after = ''] = rest.split(end)
writeFileSync(page, [before, begin, '\n\n', when, '\n\n', table.join('\n'), '\n\n', end, after].join(''))
