import { createRequire } from 'node:module'
import { availableParallelism, cpus } from 'node:os'
import { measureHashRate } from './hash-rate.ts'
import { measureStorm } from './login-storm.ts'
import { loginWays, peer } from './login-ways.ts'
import { type BenchOptions, readOptions, usage } from './options.ts'
import { type Rounds, rateTable, stormTable, targetTable } from './report.ts'

try {
  const options = readOptions(process.argv.slice(2))
  if (options) await run(options)
  else print(usage)
} catch (error) {
  if (!(error instanceof TypeError)) throw error
  process.stderr.write(`${error.message}\n\n${usage}`)
  process.exitCode = 2
}

async function run(options: BenchOptions): Promise<void> {
  const storm = options.only === 'rate' ? {} : await measureRounds(options, (way) => measureStorm(way, options.seconds))
  const rate =
    options.only === 'storm'
      ? {}
      : await measureRounds(options, async (way) => ({ perSecond: await measureHashRate(way, 8, options.seconds) }))
  if (options.json) {
    print(`${JSON.stringify({ machine: describeMachine(), storm, rate }, null, 2)}\n`)
    return
  }
  print(`${describeMachine()}\n\n`)
  if (options.only !== 'rate') print(`Login storm: 8 clients without pause\n\n${stormTable(storm)}\n\n`)
  if (options.only !== 'storm') print(`Argon2id, m=19456 t=2 p=1, 8 at once\n\n${rateTable(rate)}\n\n`)
  print(`${targetTable(storm, rate)}\n`)
}

/** Every way once in each round: what disturbs the machine disturbs all of them. */
async function measureRounds<Row>(
  { rounds, ways }: BenchOptions,
  measure: (way: string) => Promise<Row>,
): Promise<Rounds<Row>> {
  const names = Object.keys(loginWays).filter((name) => name === peer || name.includes(ways))
  const results: Rounds<Row> = Object.fromEntries(names.map((name) => [name, []]))
  for (let round = 1; round <= rounds; round++) {
    for (const name of names) {
      if (process.stderr.isTTY) process.stderr.write(`\rround ${round} of ${rounds}: ${name.padEnd(40)}\r`)
      results[name]?.push(await measure(name))
    }
  }
  return results
}

function describeMachine(): string {
  const require = createRequire(import.meta.url)
  const version = (name: string): string => `${name} ${require(`${name}/package.json`).version}`
  const packages = ['hash-wasm', '@node-rs/argon2', 'argon2id'].map(version).join(', ')
  const cores = `${availableParallelism()} cores of ${cpus()[0]?.model.trim() ?? 'unknown'}`
  return `${new Date().toISOString().slice(0, 10)}, Node.js ${process.versions.node}, ${cores}, ${packages}`
}

function print(text: string): void {
  process.stdout.write(text)
}
