// Measures what nothing counts on each Node.js, and prints a table, in minutes; with options these rows only:
// node --conditions=@latchkey/source packages/server/test/framing/write-table.ts [--only 'pipelined GETs'] [--node 24]
import { parseArgs } from 'node:util'
import { framingRows } from './framing-rows.ts'
import { createRowMeasurer, programs } from './measure-rows.ts'
import { tableHead, tableLine } from './table-lines.ts'

const { values } = parseArgs({
  options: { only: { type: 'string', multiple: true }, node: { type: 'string', multiple: true } },
})
const { only = [''], node = Object.keys(programs) } = values

console.log(tableHead)
for (const major of node) {
  const measurer = createRowMeasurer(major)
  for (const { what } of framingRows.filter((row) => only.some((part) => row.what.includes(part)))) {
    console.log(tableLine(major, await measurer.measure(what)))
  }
  await measurer.close()
}
