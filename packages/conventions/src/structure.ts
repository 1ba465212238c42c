import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { openHouse } from './house/house.ts'
import { measureStructure } from './structure/measure-structure.ts'
import { structureText } from './structure/structure-text.ts'

const usage = `usage: node packages/conventions/src/structure.ts [--root <folder>] [--longest <count>] [--json]

Counts files per folder, circles of folders, imports against the plan of the rooms, the longest functions, and lines of
sources and tests per package.

  --root <folder>    another checkout, measured by the plan of this one
  --longest <count>  how many of the longest functions are listed (20)
  --json             as JSON, to compare two states
`

try {
  print()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${usage}`)
  process.exitCode = 2
}

function print(): void {
  const { values } = parseArgs({
    options: {
      root: { type: 'string', default: fileURLToPath(new URL('../../..', import.meta.url)) },
      longest: { type: 'string', default: '20' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const longest = Number(values.longest)
  if (!Number.isInteger(longest) || longest < 0) throw new TypeError('--longest is a whole number')
  if (values.help) {
    process.stdout.write(usage)
    return
  }
  const structure = measureStructure(openHouse(resolve(values.root)), longest)
  process.stdout.write(values.json ? `${JSON.stringify(structure, null, 2)}\n` : structureText(structure))
}
