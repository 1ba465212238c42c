import { parseArgs } from 'node:util'
import { describeRun } from './describe-run.ts'
import { shrink } from './shrink.ts'
import { type Run, simulate } from './simulate.ts'
import { readMoves, repeatChoices } from './world/choices.ts'

const help = `Usage: npm run simulate -- [options]

Runs simulated worlds and prints what the oracle finds, with the shortest schedule that shows it.

  --seed <text>     one world: prints everything that happens in it
  --moves <text>    with --seed: the decisions that a finding printed
  --from <number>   the first seed of many; default 1
  --seeds <number>  how many seeds; default 2000
  --json            prints one line of JSON
  --help            prints this text

Exit codes: 0 nothing was found, 1 something was found, 2 the options are not valid.`

const options = {
  seed: { type: 'string' },
  moves: { type: 'string' },
  from: { type: 'string', default: '1' },
  seeds: { type: 'string', default: '2000' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

const read = () => parseArgs({ options }).values

async function main(): Promise<number> {
  const { seed, moves, from, seeds, json, help: isHelp } = read()
  if (isHelp) return print(help, 0)
  if (seed === undefined) return runMany({ from: toCount('from', from), seeds: toCount('seeds', seeds), json })
  const run = await simulate({ seed, ...(moves !== undefined && { choices: repeatChoices(readMoves(moves)) }) })
  if (json) return print(JSON.stringify({ seed, finding: run.finding, diary: run.diary }), run.finding ? 1 : 0)
  return print([...run.diary, run.finding ?? 'Nothing was found.'].join('\n'), run.finding ? 1 : 0)
}

async function runMany({ from, seeds, json }: { from: number; seeds: number; json: boolean }): Promise<number> {
  const startedAt = performance.now()
  let deeds = 0
  for (let number = from; number < from + seeds; number++) {
    const seed = String(number)
    const run = await simulate({ seed })
    deeds += run.deeds.length
    if (run.finding !== null) return report(seed, run, json)
    if (!json && (number - from) % 500 === 499) console.error(`${number - from + 1} of ${seeds} seeds, ${deeds} deeds`)
  }
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10
  const said = `${seeds} seeds, ${deeds} deeds, ${seconds} s: nothing was found.`
  return print(json ? JSON.stringify({ from, seeds, deeds, seconds, finding: null }) : said, 0)
}

async function report(seed: string, run: Run, json: boolean): Promise<number> {
  if (!json) console.error(`Seed ${seed} found something; looking for the shortest schedule …`)
  const shortest = await shrink({ seed }, run)
  return print(
    json ? JSON.stringify({ seed, finding: shortest.finding, diary: shortest.diary }) : describeRun(seed, shortest),
    1,
  )
}

function toCount(name: string, text: string): number {
  const count = Number(text)
  if (Number.isInteger(count) && count >= 1) return count
  throw new TypeError(`--${name} must be a whole number from 1`)
}

function print(text: string, code: number): number {
  console.log(text)
  return code
}

try {
  process.exitCode = await main()
} catch (error) {
  console.error(`${error instanceof Error ? error.message : error}\n\n${help}`)
  process.exitCode = 2
}
