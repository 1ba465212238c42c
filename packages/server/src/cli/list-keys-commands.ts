import { parseArgs } from 'node:util'
import { CommandFailure } from './command-failure.ts'
import { type CommandServer, withServer } from './import-server.ts'
import type { Command } from './run-command.ts'
import { listSigningKeys, type SigningKey } from './signing-key.ts'
import { toTable } from './to-table.ts'

const rest = `<file> is the module, in JavaScript or TypeScript, that exports \`server\` (of createServer). No key and no secret is
printed: the id of a key stands in every token that it signs.

  --json  prints a list of { id, algorithm, state, createdAt, retiredAt }, times in epoch milliseconds
  --help  this text

Exit code
  0  done
  1  the keys could not be read or written, or the file cannot be imported
  2  the command was called wrongly: no such file, an unknown option, no \`server\` in it`

interface KeysCommand {
  readonly verb: 'list' | 'generate'
  readonly summary: string
  readonly explanation: string
  run(server: CommandServer): Promise<unknown>
}

function createKeysCommand({ verb, summary, explanation, run }: KeysCommand): Command {
  const name = `keys ${verb}`
  return {
    name,
    summary,
    help: `usage: latchkey ${name} <file> [--json]\n\n${explanation}\n\n${rest}`,
    async run(args) {
      const { values, positionals } = parseArgs({
        args: [...args],
        allowPositionals: true,
        options: { json: { type: 'boolean' } },
      })
      const [file, ...others] = positionals
      if (others.length > 0) throw misused(name)
      const failure = `The signing keys could not be ${verb === 'list' ? 'read' : 'generated'}.`
      const keys = await withServer({ command: name, file, failure }, async (server) => {
        await run(server)
        return listSigningKeys(server.stores.keys)
      })
      return { text: values.json ? `${JSON.stringify(keys, null, 2)}\n` : describeKeys(keys), exitCode: 0 }
    },
  }
}

function misused(name: string): CommandFailure {
  return new CommandFailure(`latchkey ${name}: give it one file, the one that exports your server.`, {
    exitCode: 2,
    next: `See: latchkey ${name} --help`,
  })
}

function describeKeys(keys: readonly SigningKey[]): string {
  if (keys.length === 0) return 'There are no keys yet: the first start makes them, or latchkey keys generate.\n'
  const time = (at: number | null): string => (at === null ? '' : new Date(at).toISOString())
  const rows = keys.map(({ id, algorithm, state, createdAt, retiredAt }) => {
    return [id, state, algorithm, time(createdAt), time(retiredAt)]
  })
  return toTable(['Key', 'State', 'Algorithm', 'Made', 'Retired'], rows)
}

/** `latchkey keys list|generate <file>` */
export const listKeysCommands: readonly Command[] = [
  createKeysCommand({
    verb: 'list',
    summary: 'the keys that sign access tokens',
    explanation:
      'Prints the keys that sign access tokens: the one that signs, the next one, and those that are retired.',
    run: async () => undefined,
  }),
  createKeysCommand({
    verb: 'generate',
    summary: 'make the signing keys that are missing',
    explanation:
      'Makes the signing keys that are missing, as the first start does, and prints all. Where none is missing it changes\nnothing, so it may run as often as you like.',
    run: (server) => server.open(),
  }),
]
