import { parseArgs } from 'node:util'
import { findPlanted } from './find-planted.ts'

// npm run simulate:planted -- [--json] [name …]
const { values, positionals } = parseArgs({ options: { json: { type: 'boolean' } }, allowPositionals: true })
const searched = await findPlanted(positionals.length > 0 ? positionals : undefined)
const line = (fault: string, seed: string, finding: string): string =>
  `${fault.padEnd(22)}${seed.padStart(6)}  ${finding}`
const table = searched.map(({ fault, seed, finding }) => line(fault, String(seed ?? 'none'), finding ?? 'not found'))
process.stdout.write(
  `${values.json ? JSON.stringify(searched, null, 2) : [line('fault', 'seed', 'finding'), ...table].join('\n')}\n`,
)
if (searched.some(({ seed }) => seed === null)) process.exitCode = 1
