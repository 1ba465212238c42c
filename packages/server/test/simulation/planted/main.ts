import { parseArgs } from 'node:util'
import { findPlanted } from './find-planted.ts'

const help = `Usage: npm run simulate:planted -- [--json] [--help] [name …]

Looks for planted faults, all unless some are named, and prints the first seed that finds each of them.
Exit codes: 0 all were found, 1 one was not found.`

const flags = { json: { type: 'boolean' }, help: { type: 'boolean' } } as const
const { values, positionals } = parseArgs({ options: flags, allowPositionals: true })
if (values.help) {
  console.log(help)
  process.exit()
}
const searched = await findPlanted(positionals.length > 0 ? positionals : undefined)
const line = (fault: string, seed: string, finding: string): string =>
  `${fault.padEnd(22)}${seed.padStart(6)}  ${finding}`
const table = searched.map(({ fault, seed, finding }) => line(fault, String(seed ?? 'none'), finding ?? 'not found'))
process.stdout.write(
  `${values.json ? JSON.stringify(searched, null, 2) : [line('fault', 'seed', 'finding'), ...table].join('\n')}\n`,
)
if (searched.some(({ seed }) => seed === null)) process.exitCode = 1
