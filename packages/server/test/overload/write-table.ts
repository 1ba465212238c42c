// Measures every hostile line and writes the table of docs/overload-measured.md, in a quarter of an hour; with parts of names it prints
// those lines only:
// node --conditions=@latchkey/source packages/server/test/overload/write-table.ts ['64 kB' …]
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { measureLines, tableRow } from './measure-lines.ts'

const page = new URL('../../../../docs/overload-measured.md', import.meta.url)
const [begin, end] = ['<!-- measured -->', '<!-- /measured -->']
const rows: string[] = []
const only = process.argv.slice(2)
await measureLines({
  ...(only.length > 0 && { only }),
  onBegin: (place, what) => console.log(`${place} ${what} …`),
  onMeasured(line) {
    rows.push(tableRow(line))
    console.log(rows.at(-1))
  },
})
if (only.length === 0) writeTable()

function writeTable(): void {
  const head = [
    'One address sends without pause',
    'default: median, times as long',
    'p99, times as long',
    'p99, ms',
    'fair queue: median, times as long',
    'p99, times as long',
    'p99, ms',
  ]
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const table = [line(head), line(head.map((_name, index) => (index === 0 ? '---' : '--:'))), ...rows]
  const when = `${new Date().toISOString().slice(0, 10)}, Node.js ${process.versions.node}, ${cpus().length} cores:`
  const text = readFileSync(page, 'utf8')
  const [before = '', rest = ''] = text.split(begin)
  const [, after = ''] = rest.split(end)
  writeFileSync(page, [before, begin, '\n\n', when, '\n\n', table.join('\n'), '\n\n', end, after].join(''))
}
