import { type ParseArgsConfig, parseArgs } from 'node:util'
import { parts } from './parts.ts'

export interface BenchOptions {
  /** Names of parts, at least one. */
  readonly parts: readonly string[]
  /** `null`: as each part says. */
  readonly rounds: number | null
  readonly seconds: number | null
  readonly json: boolean
  /** Whether results, documents and charts are written. */
  readonly writeDocs: boolean
  /** The file of an earlier run, in place of measuring; `null`: it is measured. */
  readonly from: string | null
  /** The options that only one part has. */
  readonly own: Readonly<Record<string, string>>
}

const common = {
  rounds: { about: 'how often every way has its turn; the medians are shown' },
  seconds: { about: 'how long each way is measured in a round' },
} as const

const flags = {
  json: 'prints every figure of every round instead of tables',
  'write-docs': 'keeps the results, and writes the tables and charts of docs from them',
  help: 'prints this',
} as const

/** @throws TypeError naming the wrong argument; `null` for `--help`. */
export function readOptions(args: readonly string[]): BenchOptions | null {
  const ownOptions = Object.assign({}, ...Object.values(parts).map(({ options = {} }) => options))
  const options: ParseArgsConfig['options'] = { from: { type: 'string' } }
  for (const name of Object.keys(flags)) options[name] = { type: 'boolean' }
  for (const name of Object.keys(common)) options[name] = { type: 'string' }
  for (const [name, { default: text }] of Object.entries<{ default: string }>(ownOptions)) {
    options[name] = { type: 'string', default: text }
  }
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
  if (values.help) return null
  return {
    parts: chooseParts(positionals),
    rounds: readCount('rounds', values.rounds),
    seconds: readCount('seconds', values.seconds),
    json: values.json === true,
    writeDocs: values['write-docs'] === true,
    from: values.from === undefined ? null : String(values.from),
    own: Object.fromEntries(Object.keys(ownOptions).map((name) => [name, String(values[name])])),
  }
}

function chooseParts(asked: readonly string[]): string[] {
  const names = Object.keys(parts)
  const missing = asked.find((text) => !names.some((name) => name.includes(text)))
  if (missing !== undefined) throw new TypeError(`no part matches "${missing}": there are ${names.join(', ')}`)
  if (asked.length === 0) return names.filter((name) => !parts[name]?.isSlow)
  return names.filter((name) => asked.some((text) => name.includes(text)))
}

function readCount(name: string, given: unknown): number | null {
  if (given === undefined) return null
  const text = String(given)
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new TypeError(`--${name} is a whole number from 1 to 9999`)
  return Number(text)
}

/** Returns the text of `--help`. */
export function writeUsage(): string {
  const line = (name: string, about: string): string => `  ${name.padEnd(18)} ${about}\n`
  const optionLines = (options: NonNullable<(typeof parts)[string]['options']>): string =>
    Object.entries(options)
      .map(([name, option]) => line(`--${name}`, `${option.about} (${option.default || 'all'})`))
      .join('')
  const partLines = Object.entries(parts).map(([name, { about, rounds, seconds, isSlow }]) =>
    line(name, `${about} (${rounds} × ${seconds} s${isSlow ? ', only when it is named' : ''})`),
  )
  const commonLines = Object.entries(common).map(([name, { about }]) => line(`--${name}`, `${about} (see the parts)`))
  const flagLines = Object.entries(flags).map(([name, about]) => line(`--${name}`, about))
  const ownLines = Object.entries(parts).map(([name, { options }]) =>
    options ? `\noptions of ${name}\n${optionLines(options)}` : '',
  )
  return `usage: npm run bench [-- <part>... [options]]

Measures the promises about speed beside what people would use instead. Each round runs every way once, so that only
ratios within one table count. Run it on a machine that does nothing else. Tables go to the standard output, what is
being measured to the standard error. It ends with 0 when everything was measured, reached or not, with 1 when a part
failed, and with 2 when an argument is wrong.

parts, by name or a piece of it; all but slow ones by default, which takes about ten minutes
${partLines.join('')}
options
${commonLines.join('')}${line('--from', 'the output of --json in a file, in place of measuring')}${flagLines.join('')}${ownLines.join('')}`
}
