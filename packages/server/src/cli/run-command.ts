import { CommandFailure } from './command-failure.ts'

/** The result of a command. */
export interface CommandAnswer {
  /** For standard output. */
  readonly text: string
  /** 1: the check found a problem. 3: the check passed but could not compare. Failures are thrown. */
  readonly exitCode: 0 | 1 | 3
}

/** One command of `latchkey`. */
export interface Command {
  /** For example `password calibrate`. */
  readonly name: string
  /** The effect of the command, as a phrase. */
  readonly summary: string
  /** The text for `--help`. */
  readonly help: string
  /** @param note prints a line to standard error at once. */
  run(args: readonly string[], note: (line: string) => void): Promise<CommandAnswer>
}

export interface CommandSurroundings {
  readonly commands: readonly Command[]
  /** Returns the version of this package. */
  version(): string
  note(line: string): void
}

/**
 * Runs the command that the arguments name.
 *
 * @throws CommandFailure when they name no command, or the command fails.
 */
export async function runCommand(
  args: readonly string[],
  { commands, version, note }: CommandSurroundings,
): Promise<CommandAnswer> {
  const command = commands.find(({ name }) => name.split(' ').every((word, index) => args[index] === word))
  if (command) return runWith(command, args.slice(command.name.split(' ').length), note)
  if (asksForHelp(args)) return { text: overview(commands), exitCode: 0 }
  if (args.length === 1 && (args[0] === '--version' || args[0] === '-v')) return { text: `${version()}\n`, exitCode: 0 }
  const words = args.filter((word) => !word.startsWith('-')).join(' ')
  throw new CommandFailure(
    words === '' ? 'latchkey: a command is required.' : `latchkey: unknown command "${words}".`,
    {
      exitCode: 2,
      next: overview(commands).trimEnd(),
    },
  )
}

async function runWith(
  command: Command,
  args: readonly string[],
  note: (line: string) => void,
): Promise<CommandAnswer> {
  if (asksForHelp(args)) return { text: `${command.help}\n`, exitCode: 0 }
  try {
    return await command.run(args, note)
  } catch (error) {
    throw isArgumentsError(error) ? wrongArguments(command.name, error) : error
  }
}

function asksForHelp(args: readonly string[]): boolean {
  const options = args.includes('--') ? args.slice(0, args.indexOf('--')) : args
  return options.some((word) => word === '--help' || word === '-h')
}

/** Returns whether `util.parseArgs` has thrown the error. */
function isArgumentsError(error: unknown): error is Error {
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_')
}

function wrongArguments(command: string, error: Error): CommandFailure {
  const [sentence = ''] = error.message.split(/\. |\n/)
  return new CommandFailure(`latchkey ${command}: ${sentence.replace(/\.$/, '')}.`, {
    exitCode: 2,
    next: `See: latchkey ${command} --help`,
  })
}

function overview(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length))
  const lines = commands.map(({ name, summary }) => `  latchkey ${name.padEnd(width)}  ${summary}`)
  return `usage: latchkey <command>\n\n${lines.join('\n')}\n\nHelp for a command: latchkey access --help; the version: latchkey --version\n`
}
