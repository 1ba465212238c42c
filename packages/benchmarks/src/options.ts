import { parseArgs } from 'node:util'

export interface BenchOptions {
  readonly only: 'storm' | 'rate' | null
  /** The part of a way's name that has to be there, or the empty text. */
  readonly ways: string
  readonly rounds: number
  readonly seconds: number
  readonly json: boolean
}

export const usage = `usage: npm run bench [-- --only storm|rate] [--ways <part>] [--rounds <n>] [--seconds <n>] [--json] [--help]

Measures the promises about speed beside what people would use instead. Each round runs every way once, so that only
ratios within a round count; the figures are the medians of the rounds. Run it on a machine that does nothing else.

  --only     storm: what other requests notice while 8 clients log in without pause
             rate: Argon2id hashes per second with 8 asked for at once
  --ways     only ways whose name contains this; crypto.argon2 always runs, as the measure of the others
  --rounds   how often everything is measured (5)
  --seconds  how long each way is measured in a round (4)
  --json     prints every round as JSON instead of tables
  --help     prints this
`

/** @throws TypeError saying what is wrong with the arguments; `null` when only help is asked for. */
export function readOptions(args: readonly string[]): BenchOptions | null {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string' },
      ways: { type: 'string', default: '' },
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '4' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return null
  const { only = null, ways, json } = values
  if (only !== null && only !== 'storm' && only !== 'rate') throw new TypeError('--only is storm or rate')
  return {
    only,
    ways,
    json,
    rounds: readCount('--rounds', values.rounds),
    seconds: readCount('--seconds', values.seconds),
  }
}

function readCount(name: string, text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new TypeError(`${name} is a whole number from 1 to 9999`)
  return Number(text)
}
