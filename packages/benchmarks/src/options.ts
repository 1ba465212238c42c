import { type ParseArgsConfig, parseArgs } from 'node:util'
import { parts } from './parts.ts'

export interface BenchOptions {
  /** Names of parts, at least one. */
  readonly parts: readonly string[]
  readonly rounds: number
  readonly seconds: number
  readonly json: boolean
  /** The options that only one part has. */
  readonly own: Readonly<Record<string, string>>
}

const common = {
  rounds: { about: 'how often every way has its turn; the medians are shown', default: '5' },
  seconds: { about: 'how long each way is measured in a round', default: '3' },
} as const

/** @throws TypeError saying what is wrong with the arguments; `null` when only help is asked for. */
export function readOptions(args: readonly string[]): BenchOptions | null {
  const ownOptions = Object.assign({}, ...Object.values(parts).map(({ options = {} }) => options))
  const options: ParseArgsConfig['options'] = { json: { type: 'boolean' }, help: { type: 'boolean' } }
  for (const [name, { default: text }] of Object.entries<{ default: string }>({ ...common, ...ownOptions })) {
    options[name] = { type: 'string', default: text }
  }
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
  if (values.help) return null
  const text = (name: string): string => String(values[name])
  return {
    parts: chooseParts(positionals),
    rounds: readCount('rounds', text('rounds')),
    seconds: readCount('seconds', text('seconds')),
    json: values.json === true,
    own: Object.fromEntries(Object.keys(ownOptions).map((name) => [name, text(name)])),
  }
}

function chooseParts(asked: readonly string[]): string[] {
  const names = Object.keys(parts)
  const missing = asked.find((text) => !names.some((name) => name.includes(text)))
  if (missing !== undefined) throw new TypeError(`no part matches "${missing}": there are ${names.join(', ')}`)
  return names.filter((name) => asked.length === 0 || asked.some((text) => name.includes(text)))
}

function readCount(name: string, text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new TypeError(`--${name} is a whole number from 1 to 9999`)
  return Number(text)
}

/** What `--help` prints. */
export function writeUsage(): string {
  const line = (name: string, about: string): string => `  ${name.padEnd(18)} ${about}\n`
  const optionLines = (options: NonNullable<(typeof parts)[string]['options']>): string =>
    Object.entries(options)
      .map(([name, option]) => line(`--${name}`, `${option.about} (${option.default || 'all'})`))
      .join('')
  const partLines = Object.entries(parts).map(([name, { about }]) => line(name, about))
  const ownLines = Object.entries(parts).map(([name, { options }]) =>
    options ? `\noptions of ${name}\n${optionLines(options)}` : '',
  )
  return `usage: npm run bench [-- <part>... [options]]

Measures the promises about speed beside what people would use instead. Each round runs every way once, so that only
ratios within one table count. Run it on a machine that does nothing else. Tables go to the standard output, what is
being measured to the standard error. It ends with 0 when everything was measured, reached or not, with 1 when a part
failed, and with 2 when an argument is wrong.

parts, by name or a piece of it; all by default
${partLines.join('')}
options
${optionLines(common)}${line('--json', 'prints every figure of every round instead of tables')}${line('--help', 'prints this')}${ownLines.join('')}`
}
